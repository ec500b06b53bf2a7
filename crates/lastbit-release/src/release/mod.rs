//! From a plan to a report.
