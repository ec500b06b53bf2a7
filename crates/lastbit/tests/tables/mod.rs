mod loss;
mod reach;
