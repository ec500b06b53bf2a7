"""The guide as a static site: `cargo xtask site` runs this, after it has built the Rust and the
Python package.

    python docs/site.py DIRECTORY RUSTDOC

Pages of docs/ and the other documents, the notebooks with what their cells gave, a reference of the
Python package from its docstrings, and rustdoc, each with the same list of pages at its top. Needs
the packages lastbit and markdown.
"""

from __future__ import annotations

import html
import inspect
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import lastbit
import lastbit.framework
import markdown

ROOT = Path(__file__).parents[1]

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem;
color: #222; background: #fff }
nav { font-size: .85rem; border-bottom: 1px solid #ccc; padding-bottom: .5rem }
nav a { margin-right: .7rem }
pre { background: #f5f5f5; padding: .7rem; overflow-x: auto }
code { font-size: .9em } table { border-collapse: collapse }
td, th { border: 1px solid #ccc; padding: .25rem .5rem; vertical-align: top }
img { max-width: 100% } a { color: #0645ad }
pre.output { background: #fff; border-left: 3px solid #bbb }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 }
pre { background: #262626 }
pre.output { background: #181818 } a { color: #8ab4f8 } }
"""


def documents() -> list[Path]:
    """The documents of the site."""
    others = [
        ROOT / "fuzz" / "README.md",
        ROOT / "proofs" / "README.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    ]
    return [*sorted(ROOT.glob("*.md")), *others]


def address(path: Path) -> str:
    """Where a document is on the site."""
    relative = path.relative_to(ROOT)
    if relative == Path("README.md"):
        return "index.html"
    return relative.with_suffix(".html").as_posix()


def links(text: str) -> str:
    """Links between documents become links between pages."""

    def page(found: re.Match[str]) -> str:
        target = found.group(1)
        if target.endswith("README.md") and "/" not in target.replace("../", ""):
            return f'href="{target[: -len("README.md")]}index.html{found.group(3) or ""}"'
        return f'href="{target[: -len(found.group(2))]}.html{found.group(3) or ""}"'

    return re.sub(r'href="(?!\w+:)([^"#]+?(\.md|\.ipynb))(#[^"]*)?"', page, text)


def written(place: Path, title: str, body: str, up: str) -> None:
    listed = [
        ("index.html", "Lastbit"),
        ("docs/python.html", "Python"),
        ("python.html", "Python reference"),
    ]
    listed += [(f"docs/notebooks/{path.stem}.html", path.stem) for path in notebooks()]
    listed += [
        ("rust/lastbit/index.html", "Rust reference"),
        ("docs/plan.html", "plans"),
        ("docs/ledger.html", "ledgers"),
    ]
    menu = "".join(f'<a href="{up}{where}">{html.escape(name)}</a>' for where, name in listed)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style><nav>{menu}</nav>{body}"
        "</html>\n",
        encoding="utf-8",
    )


def notebooks() -> list[Path]:
    return sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def rendered(text: str) -> str:
    # A block of code has a language, and for our tests a second word.
    text = re.sub(r"^```(\w+) .*$", r"```\1", text, flags=re.MULTILINE)
    return links(markdown.markdown(text, extensions=["tables", "fenced_code", "toc", "sane_lists"]))


def notebook(path: Path) -> str:
    """The cells of a notebook, and what they gave."""
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(rendered(source))
            continue
        parts.append(f"<pre><code>{html.escape(source)}</code></pre>")
        for output in cell["outputs"]:
            text = "".join(output.get("text") or output["data"]["text/plain"])
            parts.append(f'<pre class="output">{html.escape(text)}</pre>')
    return "\n".join(parts)


def reference() -> str:
    """Every public name of the Python package, with its signature and its docstring."""
    parts = [f"<h1>Python reference</h1><pre>{html.escape(inspect.getdoc(lastbit) or '')}</pre>"]
    modules: list[tuple[str, Any]] = [
        ("lastbit", lastbit),
        ("lastbit.framework", lastbit.framework),
    ]
    for prefix, module in modules:
        parts.append(f"<h2>{prefix}</h2>")
        for name in sorted(module.__all__):
            parts.append(entry(f"{prefix}.{name}", getattr(module, name), 3))
    return "\n".join(part for part in parts if part)


def entry(name: str, thing: Any, level: int) -> str:
    if inspect.ismodule(thing):
        return ""
    documented = inspect.getdoc(thing) if callable(thing) else None
    try:
        signature = str(inspect.signature(thing)) if callable(thing) else ""
    except (TypeError, ValueError):
        signature = ""
    parts = [f'<h{level} id="{name}"><code>{html.escape(name + signature)}</code></h{level}>']
    parts.append(f"<pre>{html.escape(documented or '')}</pre>")
    if inspect.isclass(thing) and not issubclass(thing, BaseException):
        for member, value in sorted(vars(thing).items()):
            if not member.startswith("_") and (
                callable(value) or isinstance(value, (property, staticmethod))
            ):
                inner = value.fget if isinstance(value, property) else getattr(thing, member)
                parts.append(entry(f"{name}.{member}", inner, level + 1))
    return "\n".join(parts)


def main() -> None:
    place, rustdoc = Path(sys.argv[1]), Path(sys.argv[2])
    if place.exists():
        shutil.rmtree(place)
    for path in documents():
        where = address(path)
        text = path.read_text(encoding="utf-8")
        title = next(
            (line.lstrip("# ") for line in text.splitlines() if line.startswith("# ")), path.stem
        )
        written(place / where, title, rendered(text), "../" * where.count("/"))
    for path in notebooks():
        written(place / address(path), path.stem, notebook(path), "../../")
    written(place / "python.html", "Python reference", reference(), "")
    for picture in (ROOT / "docs").rglob("*.png"):
        shutil.copy(picture, place / picture.relative_to(ROOT))
    shutil.copytree(
        rustdoc, place / "rust", ignore=shutil.ignore_patterns(".lock", ".rustdoc_fingerprint.json")
    )
    missing = broken(place)
    if missing:
        sys.exit("links that lead nowhere:\n  " + "\n  ".join(missing))
    print(f"{sum(1 for _ in place.rglob('*.html'))} pages in {place}")


def broken(place: Path) -> list[str]:
    """Links of our own pages to pages that are not there."""
    found = []
    for page in place.rglob("*.html"):
        if (place / "rust") in page.parents:
            continue
        for target in re.findall(
            r'(?:href|src)="(?!\w+:|#)([^"#]+)', page.read_text(encoding="utf-8")
        ):
            aim = (page.parent / target).resolve()
            # What is not a document stays in the tree, such as examples and crates.
            if aim.suffix in (".html", ".png") and not aim.exists():
                found.append(f"{page.relative_to(place)}: {target}")
    return sorted(found)


if __name__ == "__main__":
    main()
