// SPDX-License-Identifier: Apache-2.0

extension StyleSheet {
    static let summary: StaticString = """
        .masthead { padding-top: 2rem; padding-bottom: 1.1rem; }
        .eyebrow { margin: 0 0 0.5rem; color: var(--soft); font-size: 0.875rem; }
        h1 {
          margin: 0 0 1rem; max-width: 28em; font-size: clamp(1.5rem, 1.1rem + 1.6vw, 2.125rem);
          line-height: 1.2; font-weight: 700; letter-spacing: -0.015em; text-wrap: balance;
        }
        .signal { margin: -0.35rem 0 1.1rem; color: var(--soft); max-width: none; }
        .origin { max-width: none; margin: -0.6rem 0 1.1rem; }
        .origin > code { font-weight: 600; }
        .tag {
          display: inline-block; padding: 0 0.45em; border-radius: 4px; background: var(--shade);
          color: var(--soft); font: 500 0.75rem/1.6 var(--text); vertical-align: 0.08em;
        }
        .tag.bad { background: var(--bad-shade); color: var(--bad); font-weight: 650; }
        .tag.doubt { background: var(--doubt-shade); color: var(--doubt); }
        .tag.async { background: var(--calm-shade); color: var(--calm); }
        .facts {
          display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr));
          gap: 0.9rem 2rem; margin: 0;
        }
        .masthead .facts { display: flex; flex-wrap: wrap; gap: 0.6rem 2.5rem; font-size: 0.9375rem; }
        .masthead .facts > div { max-width: 36rem; }
        dt { color: var(--soft); font-size: 0.8125rem; }
        dd { margin: 0; }
        .findings { margin: 0; padding: 0; list-style: none; max-width: 52rem; }
        .findings li { padding: 0.1rem 0 0.1rem 1rem; border-left: 3px solid var(--strong-line); }
        .findings li + li { margin-top: 0.9rem; }
        .findings p { margin: 0; }
        .evidence { font-size: 0.9375rem; }
        .message { margin: 0 0 1.25rem; }
        .message figcaption { color: var(--soft); font-size: 0.8125rem; margin-bottom: 0.25rem; }
        .message pre {
          border-left: 3px solid var(--bad); background: var(--bad-shade); max-height: none;
        }
        .notice {
          max-width: 52rem; margin: 1.25rem 0 0; padding: 0.6rem 0.9rem; border-radius: 6px;
          background: var(--doubt-shade); color: var(--doubt); font-size: 0.9375rem;
        }
        .notice a { color: inherit; }
        .notice p, .notice ul { margin: 0; }

        """

    static let stacks: StaticString = """
        .stack { list-style: none; margin: 0; padding: 0; counter-reset: none; }
        .frame {
          display: grid; grid-template-columns: 2.75rem minmax(0, 1fr); padding: 0.35rem 0;
          border-top: 1px solid var(--line);
        }
        .frame:first-child { border-top: 0; }
        .number {
          color: var(--soft); font: 0.8125rem/1.7 var(--code); font-variant-numeric: tabular-nums;
        }
        .call { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.5rem; }
        .call code { font-weight: 600; font-size: 0.875rem; }
        .frame.system .call code { font-weight: 400; color: var(--soft); }
        .frame .unknown { font-weight: 400; }
        .place {
          display: flex; flex-wrap: wrap; gap: 0 1.25rem; color: var(--soft);
          font: 0.78125rem/1.5 var(--code);
        }
        .excerpt {
          margin: 0.35rem 0 0.2rem; padding: 0.3rem 0.6rem; font-size: 0.78125rem; color: var(--soft);
        }
        .excerpt .here { color: var(--ink); font-weight: 600; }
        .place .source { color: var(--ink); }
        .frame.system .source { color: var(--soft); }
        .place .directory { color: var(--soft); }
        .frame.inlined > div { padding-left: 1rem; border-left: 2px dotted var(--strong-line); }
        .frame.async > div { padding-left: 1rem; border-left: 2px dashed var(--calm); }
        .gap {
          padding: 0.5rem 0 0.5rem 2.75rem; border-top: 1px solid var(--line);
          color: var(--soft); font-size: 0.875rem;
        }
        .gap:first-child { border-top: 0; }
        details { border-top: 1px solid var(--line); }
        details:last-of-type { border-bottom: 1px solid var(--line); }
        summary { padding: 0.55rem 0; cursor: pointer; }
        summary:hover { background: var(--shade); }
        summary::marker { color: var(--soft); }
        .inside { padding: 0.25rem 0 1.25rem 1.1rem; }
        .threads .who { margin-right: 0.9rem; }
        .threads .what { color: var(--soft); }

        """
}
