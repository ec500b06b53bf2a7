//! What a plan can say: filters, codes, labels, whole numbers, dates, look-ups and limits of each statistic.

mod formats;
mod identity;
mod labour;
mod neighbours;
mod parse;
