#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes manual pages of what is written elsewhere, in the macros of man(7), on standard output.

    manual_page.py page NAME SECTION SUMMARY docs/PAGE.md[#HEADING]...   pages of the documentation, or parts of them
    manual_page.py headers HEADER...                                     epitaph(3), of the comments in the headers
    manual_page.py functions HEADER...                                   the names in that page, a line each
"""

import re
import sys


def text(words):
    """Literal text: groff_man_style(7), "Portability"."""
    for letter, escape in ("\\", "\\(rs"), ("-", "\\-"), ("'", "\\(aq"), ("`", "\\(ga"), ("^", "\\(ha"), ("~", "\\(ti"):
        words = words.replace(letter, escape)
    words = "".join(letter if ord(letter) < 128 else f"\\[u{ord(letter):04X}]" for letter in words)
    return "\\&" + words if words[:1] in (".", "'") else words


def prose(markdown):
    """A paragraph: code is bold, of links their words stay, and nothing of one in brackets."""
    markdown = re.sub(r" \(\[[^][]*\]\([^()]*\)\)", "", markdown)
    markdown = re.sub(r"\[([^][]*)\]\([^()]*\)", r"\1", markdown)
    parts = re.split(r"`([^`]*)`|\*\*([^*]*)\*\*", markdown)
    plain = [re.sub(r"\*([^*]+)\*", r"\1", part) for part in parts[::3]]
    made = text(plain[0])
    for index, rest in enumerate(plain[1:]):
        strong = parts[index * 3 + 1] if parts[index * 3 + 1] is not None else parts[index * 3 + 2]
        made += f"\\fB{text(strong)}\\fR" + text(rest)
    return made


def literal(lines):
    return [".PP", ".nf", ".RS 4", *map(text, lines), ".RE", ".fi"]


def cells(line):
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def table(rows):
    """Each row is an entry: the first cell, and the others behind the names of their columns."""
    titles = cells(rows[0])
    made = []
    for row in map(cells, rows[2:]):
        others = [f"{title}: {cell}" if title and len(row) > 2 else cell
                  for title, cell in zip(titles[1:], row[1:]) if cell]
        made += [".TP", prose(row[0]) or "\\&", prose("; ".join(others)) or "\\&"]
    return made


def body(markdown):
    made, lines = [], re.sub(r"<!--.*?-->", "", markdown, flags=re.S).split("\n")
    while lines:
        line = lines.pop(0)
        if line.startswith("```"):
            end = next(index for index, other in enumerate(lines) if other.startswith("```"))
            made += literal(lines[:end])
            lines = lines[end + 1:]
        elif heading := re.match(r"(##+) (.*)", line):
            made.append(f".S{'H' if len(heading[1]) == 2 else 'S'} \"{prose(heading[2])}\"")
        elif line.startswith("|"):
            rows = [line]
            while lines and lines[0].startswith("|"):
                rows.append(lines.pop(0))
            made += table(rows)
        elif line.strip():
            paragraph = [line.strip()]
            while lines and lines[0].strip() and not re.match(r"```|#|\||- ", lines[0]):
                paragraph.append(lines.pop(0).strip())
            words = " ".join(paragraph)
            made += [".IP \\(bu 2", prose(words[2:])] if words.startswith("- ") else [".PP", prose(words)]
    return made


def title(name, section, summary):
    return [f'.TH {text(name.upper())} {section} "" "" "Epitaph"', ".SH NAME", f"{text(name)} \\- {text(summary)}"]


def part(path):
    path, _, heading = path.partition("#")
    with open(path, encoding="utf-8") as file:
        first, markdown = file.read().split("\n", 1)
    if not heading:
        return first.removeprefix("# "), markdown
    return heading, re.split(r"^## .*\n", markdown.split(f"\n## {heading}\n")[1], maxsplit=1, flags=re.M)[0]


def page(name, section, summary, *paths):
    made = title(name, section, summary)
    for heading, markdown in map(part, paths):
        made += [f'.SH "{prose(heading)}"', *body(markdown)]
    return made


def functions(paths):
    """The functions that have a comment, with it and their declaration."""
    for path in paths:
        with open(path, encoding="utf-8") as file:
            found = re.findall(r"((?:^///.*\n)+)((?:const )?\w[\w ]*[ *]+(epitaph_\w+)\([^;{]*\);)", file.read(), flags=re.M)
        for comment, declaration, name in found:
            yield name, declaration, re.sub(r"^///[ \t]?", "", comment, flags=re.M)


def headers(paths):
    with open(paths[0], encoding="utf-8") as file:
        first = re.findall(r"^// ?(.*)$", file.read().split("#ifndef")[0], flags=re.M)[2:]
    start = re.sub(r"((?:^    .*\n)+)", lambda code: "```\n" + re.sub("(?m)^    ", "", code[0]) + "```\n", "\n".join(first) + "\n", flags=re.M)
    made = [*title("epitaph", 3, "records how this process dies"), ".SH SYNOPSIS", ".B #include <epitaph.h>",
            ".SH DESCRIPTION", *body(start), ".SH FUNCTIONS"]
    for _, declaration, comment in functions(paths):
        made += [*literal(declaration.split("\n")), *body(comment)]
    return [*made, ".SH SEE ALSO", "\\fBepitaph.conf\\fR(5), \\fBepitaph\\-preload\\fR(7), \\fBdump\\-convert\\fR(1)"]


def main(action, *arguments):
    made = {"page": lambda: page(*arguments), "headers": lambda: headers(arguments),
            "functions": lambda: [name for name, _, _ in functions(arguments)]}[action]()
    print("\n".join(made))


if __name__ == "__main__":
    main(*sys.argv[1:])
