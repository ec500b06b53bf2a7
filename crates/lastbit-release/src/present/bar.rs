const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// A bar of text: this share of so many columns, to an eighth of a column.
///
/// ```
/// use lastbit_release::present::bar;
/// assert_eq!(bar(0.25, 6), "█▌");
/// assert_eq!((bar(-1.0, 6), bar(2.0, 2)), (String::new(), "██".to_owned()));
/// ```
pub fn bar(share: f64, width: usize) -> String {
    let eighths = (share.clamp(0.0, 1.0) * (8 * width) as f64).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}
