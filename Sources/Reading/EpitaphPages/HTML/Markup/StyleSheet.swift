// SPDX-License-Identifier: Apache-2.0

/// A page's colours, type and frame; the parts are in `StyleSheet+Parts.swift`. All text has a
/// contrast of at least 4.5 to its background (WCAG 2.2, 1.4.3) in both schemes.
enum StyleSheet {
    static var markup: Markup {
        Markup(trusted: [colours, frame, summary, stacks, tables, lists, otherMedia])
    }

    private static let colours: StaticString = """

        :root {
          color-scheme: light dark;
          --page: #f7f7f5; --sheet: #ffffff; --ink: #1c1e22; --soft: #5a606b;
          --line: #e2e3e0; --strong-line: #c9cbc8; --shade: #f1f1ee;
          --bad: #a8201a; --bad-shade: #fbeae8; --doubt: #7a4d00; --doubt-shade: #fbf1dc;
          --calm: #1d5a86; --calm-shade: #e6f0f7; --link: #1d5a86;
          --text: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Ubuntu, Cantarell,
            "Liberation Sans", "DejaVu Sans", sans-serif;
          --code: ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", "Noto Sans Mono",
            "DejaVu Sans Mono", "Liberation Mono", Consolas, monospace;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #14161a; --sheet: #1b1e23; --ink: #e7e9ec; --soft: #a3aab6;
            --line: #2c3037; --strong-line: #454b55; --shade: #22262c;
            --bad: #ff9c93; --bad-shade: #3a1f1e; --doubt: #f0c274; --doubt-shade: #352a16;
            --calm: #8fc4ec; --calm-shade: #1c2e3c; --link: #8fc4ec;
          }
        }

        """

    private static let frame: StaticString = """
        *, *::before, *::after { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
        body {
          margin: 0; background: var(--page); color: var(--ink);
          font: 1rem/1.55 var(--text); overflow-wrap: anywhere;
        }
        code, pre, .facts code { font-family: var(--code); font-size: 0.875em; }
        a { color: var(--link); text-underline-offset: 0.15em; }
        :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px; }
        .skip { position: absolute; left: 1rem; top: -4rem; }
        .skip:focus { top: 0.5rem; background: var(--sheet); padding: 0.25rem 0.75rem; }
        .masthead, .layout, footer { max-width: 84rem; margin: 0 auto; padding: 0 2rem; }
        .layout { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: 0 3rem; }
        nav { padding-top: 1.6rem; font-size: 0.875rem; }
        nav ul { position: sticky; top: 1.5rem; list-style: none; margin: 0; padding: 0; }
        nav a {
          display: flex; justify-content: space-between; gap: 1rem; padding: 0.2rem 0;
          color: var(--soft); text-decoration: none;
        }
        nav a:hover { color: var(--link); text-decoration: underline; }
        .count { font-variant-numeric: tabular-nums; }
        main { min-width: 0; padding-bottom: 3rem; }
        section { padding-top: 1.6rem; }
        section + section { margin-top: 1.9rem; border-top: 1px solid var(--line); }
        h2 { margin: 0 0 0.5rem; font-size: 1.1875rem; line-height: 1.3; font-weight: 650; }
        h3 {
          display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.6rem;
          margin: 1.5rem 0 0.4rem; font-size: 0.9375rem; font-weight: 600;
        }
        h3 code, h3 .hint { font-weight: 400; }
        p { margin: 0 0 0.75rem; max-width: 46rem; }
        .note, .hint, .evidence, .unknown, .cut { color: var(--soft); }
        .note { font-size: 0.9375rem; }
        footer {
          padding-top: 1.5rem; padding-bottom: 2.5rem; border-top: 1px solid var(--line);
          color: var(--soft); font-size: 0.8125rem;
        }

        """
}
