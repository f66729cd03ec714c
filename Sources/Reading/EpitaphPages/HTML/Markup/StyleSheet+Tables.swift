// SPDX-License-Identifier: Apache-2.0

extension StyleSheet {
    static let tables: StaticString = """
        .scroll { overflow-x: auto; max-width: 100%; }
        table { border-collapse: collapse; font-size: 0.875rem; }
        th, td {
          padding: 0.3rem 1.5rem 0.3rem 0; text-align: left; vertical-align: top;
          border-top: 1px solid var(--line);
        }
        th:last-child, td:last-child { padding-right: 0; }
        thead th { border-top: 0; color: var(--soft); font-size: 0.8125rem; font-weight: 500; }
        tbody th { font-weight: 400; }
        .amount { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        .modules, .pairs { width: 100%; }
        .modules tbody th, .ranges tbody th, .ranges td, .code tbody, .hex tbody {
          font-family: var(--code); font-size: 0.8125rem;
        }
        .modules tbody th, .ranges tbody th, .hex th, .hex td, .code th, .code td {
          white-space: nowrap;
        }
        .modules td { min-width: 15rem; }
        .modules td > code { font-size: 0.75rem; color: var(--soft); white-space: nowrap; }
        .modules th, .modules td { font-size: 0.8125rem; }
        .pairs tbody th { color: var(--soft); min-width: 8rem; max-width: 18rem; }
        .pairs td { width: 100%; }
        .problem { color: var(--doubt); font-size: 0.8125rem; }
        .hex th, .hex td, .code th, .code td { padding-top: 0.1rem; padding-bottom: 0.1rem; }
        .hex tbody th, .hex tbody td, .code tbody th, .code tbody td { border-top: 0; }
        .hex tbody th, .code tbody th, .code .bytes { color: var(--soft); }
        .hex .bytes, .hex .ascii { white-space: pre; }
        .hex td.hint { white-space: normal; min-width: 14rem; }
        .here > * { background: var(--bad-shade); }
        .here th, .here .bytes { color: var(--ink) !important; }
        .hex .here > * { background: var(--calm-shade); }
        .code .tag { margin-left: 1rem; }
        mark { background: var(--calm); color: var(--sheet); border-radius: 2px; }
        .registers {
          display: grid; grid-template-columns: repeat(auto-fill, minmax(min(25rem, 100%), 1fr));
          gap: 0 2.5rem; margin: 0;
        }
        .registers > div {
          display: grid; grid-template-columns: 3.75rem minmax(0, 1fr); align-items: baseline;
          padding: 0.2rem 0; border-top: 1px solid var(--line);
        }
        .registers dt { font-family: var(--code); }
        .registers dd { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.9rem; }
        .registers .hint, .hex .hint { font-size: 0.8125rem; font-family: var(--text); }

        """

    static let lists: StaticString = """
        pre {
          margin: 0; padding: 0.6rem 0.9rem; max-height: 30rem; overflow: auto;
          border-radius: 6px; background: var(--shade); white-space: pre-wrap;
        }
        .line { display: block; min-height: 1.4em; }
        .words { margin: 0; padding: 0; list-style: none; }
        .path { font-family: var(--code); font-size: 0.8125rem; }
        .time-line { margin: 0.75rem 0 0; padding: 0; list-style: none; }
        .time-line li {
          position: relative; display: grid; padding: 0 0 0.9rem 1.5rem;
          grid-template-columns: 14.5rem 11rem minmax(0, 1fr); gap: 0 1rem;
          border-left: 2px solid var(--line); margin-left: 0.4rem;
        }
        .time-line li:last-child { border-left-color: transparent; }
        .time-line li::before {
          content: ""; position: absolute; left: calc(-0.375rem - 1px); top: 0.45rem;
          width: 0.75rem; height: 0.75rem; border-radius: 50%;
          border: 2px solid var(--page); background: var(--strong-line);
        }
        .time-line .warning::before { background: var(--doubt); }
        .time-line .crash::before, .time-line .error::before, .time-line .fatal::before {
          background: var(--bad);
        }
        .time-line time, .before {
          color: var(--soft); font-size: 0.875rem; font-variant-numeric: tabular-nums;
        }
        .event { grid-column: 3; overflow-wrap: anywhere; }
        .event .tag { margin-right: 0.2rem; }
        .crash .event { font-weight: 650; }

        """

    static let otherMedia: StaticString = """
        @media (max-width: 62rem) {
          .masthead, .layout, footer { padding-left: 1.25rem; padding-right: 1.25rem; }
          .masthead { padding-top: 1.5rem; }
          .layout { grid-template-columns: minmax(0, 1fr); }
          nav { padding: 0.6rem 0; border-top: 1px solid var(--line); }
          nav ul { position: static; display: flex; flex-wrap: wrap; gap: 0 1.1rem; }
          nav a { gap: 0.35rem; padding: 0.25rem 0; }
          section { padding-top: 1.5rem; }
          section:first-child { border-top: 1px solid var(--line); }
          .time-line li { grid-template-columns: minmax(0, 1fr); }
          .event { grid-column: 1; }
        }
        @media (max-width: 36rem) {
          .frame { grid-template-columns: 1.9rem minmax(0, 1fr); }
          .gap { padding-left: 1.9rem; }
          .inside { padding-left: 0; }
        }
        @media print {
          :root {
            --page: #fff; --sheet: #fff; --ink: #000; --soft: #444; --line: #ccc;
            --strong-line: #999; --shade: #f4f4f4; --bad: #8c1510; --bad-shade: #f7eceb;
            --doubt: #5e3b00; --doubt-shade: #f6f0e4; --calm: #123f60; --calm-shade: #eaf0f5;
            --link: #123f60;
          }
          body { font-size: 9.5pt; }
          nav, .skip { display: none; }
          .layout { display: block; }
          .masthead, .layout, footer { padding-left: 0; padding-right: 0; max-width: none; }
          pre { max-height: none; }
          .scroll { overflow: visible; }
          .hex th, .hex td, .code th, .code td { font-size: 7pt; }
          h2, h3, .frame, tr { break-inside: avoid; }
          h2, h3 { break-after: avoid; }
          details::details-content { display: block; content-visibility: visible; height: auto; }
        }

        """
}
