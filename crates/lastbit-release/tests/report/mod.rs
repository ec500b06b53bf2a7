mod clinic;
mod html;
mod text;
