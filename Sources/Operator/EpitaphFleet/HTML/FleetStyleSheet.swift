// SPDX-License-Identifier: Apache-2.0

import EpitaphPages

/// The rules that the page of a week needs besides those of a report. Every colour of a bar has a
/// contrast of at least 3 to the page in both schemes (WCAG 2.2, 1.4.11).
enum FleetStyleSheet {
    static var markup: Markup { Markup(trusted: [colours, pictures, tables]) }

    private static let colours: StaticString = """
        :root {
          --s1: #1f5f8b; --s2: #b4540a; --s3: #2e7d4f; --s4: #8b3fa0; --s5: #b3261e; --s6: #00798c;
          --s7: #7a6a00; --rest: #868c95;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --s1: #7db8e8; --s2: #f0a35e; --s3: #6fcf97; --s4: #cf9be6; --s5: #ff8f87;
            --s6: #4fd0dd; --s7: #d8c64a; --rest: #7d8590;
          }
        }
        @media print {
          :root {
            --s1: #1f5f8b; --s2: #b4540a; --s3: #2e7d4f; --s4: #8b3fa0; --s5: #b3261e;
            --s6: #00798c; --s7: #7a6a00; --rest: #868c95;
          }
        }
        .s1 { fill: var(--s1); background: var(--s1); }
        .s2 { fill: var(--s2); background: var(--s2); }
        .s3 { fill: var(--s3); background: var(--s3); }
        .s4 { fill: var(--s4); background: var(--s4); }
        .s5 { fill: var(--s5); background: var(--s5); }
        .s6 { fill: var(--s6); background: var(--s6); }
        .s7 { fill: var(--s7); background: var(--s7); }
        .rest { fill: var(--rest); background: var(--rest); }

        """

    private static let pictures: StaticString = """
        .chart { margin: 0 0 1rem; }
        .bars { display: block; width: 100%; min-width: 44rem; height: auto; }
        .bars text { fill: var(--soft); font: 12px var(--text); }
        .level-text { text-anchor: end; }
        .level, .ground { stroke: var(--line); stroke-width: 1; fill: none; }
        .ground { stroke: var(--strong-line); }
        .bar { stroke: var(--page); stroke-width: 0.5; }
        .shadow { fill: var(--line); background: var(--line); stroke: var(--rest); }
        .release { stroke: var(--strong-line); stroke-width: 1; stroke-dasharray: 4 3; }
        .chart .scroll { direction: rtl; }
        .chart .bars { direction: ltr; }
        .hint-area { fill: transparent; }
        .legend {
          display: grid; grid-template-columns: repeat(auto-fill, minmax(min(24rem, 100%), 1fr));
          gap: 0.25rem 2rem; margin: 0.75rem 0 0; padding: 0; list-style: none;
          font-size: 0.875rem;
        }
        .legend li { display: flex; align-items: baseline; gap: 0.5rem; min-width: 0; }
        .legend .name { min-width: 0; }
        .legend .hint { margin-left: auto; white-space: nowrap; }
        .swatch {
          display: inline-block; flex: none; width: 0.75rem; height: 0.75rem; margin-right: 0.1rem;
          border-radius: 2px; print-color-adjust: exact; -webkit-print-color-adjust: exact;
        }
        .spark { display: block; width: 7.5rem; height: 1.625rem; }
        .spark path { fill: var(--calm); }

        """

    private static let tables: StaticString = """
        .fleet { width: 100%; }
        .fleet thead th, .numbers thead th { vertical-align: bottom; white-space: nowrap; }
        .lead { margin: 0 0 1rem; max-width: 46rem; font-size: 1.0625rem; }
        .report { display: block; }
        .report a, .report code { overflow-wrap: anywhere; }
        .changed thead th:nth-child(n + 2):nth-child(-n + 4),
        .top thead th:nth-child(n + 2):nth-child(-n + 5),
        .new thead th:nth-child(n + 2):nth-child(-n + 3),
        .releases thead th:nth-child(n + 3):nth-child(-n + 6),
        .hosts thead th:nth-child(n + 2), .kinds thead th:nth-child(n + 2),
        .numbers thead th:nth-child(n + 2) { text-align: right; }
        .hosts, .kinds { width: auto; }
        .releases tbody th, .hosts tbody th, .kinds tbody th { min-width: 9rem; }
        .releases tbody td:nth-child(2) { min-width: 7rem; }
        .fleet .signature { min-width: 18rem; max-width: 40rem; }
        .fleet .signature .swatch { margin-right: 0.5rem; }
        .name b { font-weight: 650; }
        .name code { font-size: 0.8125rem; }
        .when { white-space: nowrap; font-variant-numeric: tabular-nums; }
        .numbers tbody th { white-space: nowrap; font-variant-numeric: tabular-nums; }
        .remarks { margin: 0; padding-left: 1.25rem; max-width: 46rem; }
        @media print {
          .bars, .fleet .signature { min-width: 0; }
          .fleet th, .fleet td { padding-right: 0.7rem; font-size: 8.5pt; }
          .spark { width: 5rem; }
          details { display: none; }
        }

        """
}
