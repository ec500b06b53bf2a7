//! Pages as text. Whatever others wrote is escaped, as in reports.

use lastbit_release::clean::visible;
pub use lastbit_release::present::escape;

/// A message in the lines that it has, with what is hidden in them to be seen.
pub fn in_lines(message: &str) -> String {
    let lines: Vec<_> = message.lines().map(visible).collect();
    lines.join("\n")
}

/// A text in a tag.
pub fn element(tag: &str, text: &str) -> String {
    format!("<{tag}>{}</{tag}>", escape(text))
}

/// A name in a path of an address.
pub fn in_path(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => out.push(byte.into()),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// A whole page. `script` is the name of an asset; `here` is which entry of the menu it is.
pub fn page(base: &str, title: &str, here: &str, script: Option<&str>, body: &str) -> String {
    let script = script.map_or(String::new(), |name| {
        format!("<script type=\"module\" src=\"{base}/assets/{name}\"></script>\n")
    });
    let entry = |name: &str, path: &str| {
        let current = match name == here {
            true => " aria-current=\"page\"",
            false => "",
        };
        format!("<li><a href=\"{base}{path}\"{current}>{name}</a></li>")
    };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{} – Lastbit</title>\n\
         <link rel=\"stylesheet\" href=\"{base}/assets/page.css\">\n\
         <link rel=\"icon\" href=\"{base}/assets/icon.svg\" type=\"image/svg+xml\">\n\
         {script}</head>\n<body data-base=\"{base}\">\n\
         <a class=\"skip\" href=\"#main\">To the content</a>\n\
         <header class=\"top\"><span class=\"brand\">Lastbit</span><nav \
         aria-label=\"Pages\"><ul>{}{}{}</ul></nav></header>\n<main id=\"main\">\n{body}</main>\n\
         </body>\n</html>\n",
        escape(title),
        entry("Plans", "/"),
        entry("Draft", "/draft"),
        entry("Ledger", "/ledger"),
    )
}

/// What the browser gets for the token: from here it goes on by itself, as of this site.
pub fn welcome(base: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <title>Lastbit</title>\n\
         <link rel=\"icon\" href=\"{base}/assets/icon.svg\" type=\"image/svg+xml\">\n\
         <meta http-equiv=\"refresh\" content=\"0;url={base}/\">\n</head>\n<body>\n<main>\n\
         <h1>Lastbit</h1>\n<p><a href=\"{base}/\">Go to the page</a></p>\n</main>\n</body>\n\
         </html>\n"
    )
}

/// A message that stands out.
pub fn notice(class: &str, text: &str) -> String {
    let lines: Vec<String> = text.lines().map(escape).collect();
    format!("<p class=\"notice {class}\">{}</p>\n", lines.join("<br>"))
}
