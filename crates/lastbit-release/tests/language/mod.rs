//! What a plan can say: filters, codes, labels, whole numbers, dates, look-ups and limits of each
//! statistic.

mod example;
mod films;
mod formats;
mod hospital;
mod identity;
mod joins;
mod labour;
mod neighbours;
mod one_group;
mod parse;
