// SPDX-License-Identifier: Apache-2.0

import DumpConversion

/// How much is found out about the stacks of a crash when its dump becomes a report, in the launch
/// after it, so that the report loses nothing by an upgrade before it is read. All dumps of a call
/// together may take ten seconds of that; what is not done by then is left out.
public enum StacksWhenFiled: Sendable {
    /// Functions, inlined calls and lines. libdw reads the debug information, where it is installed
    /// (Debian's `libdw1`); without it, functions alone.
    case lines
    /// Functions, from symbol tables, which no library but Epitaph reads.
    case functions
    /// Nothing: only the files at hand will tell when the report is read.
    case nothing

    var effort: StackKeeper.Effort {
        switch self {
        case .lines: .lines
        case .functions: .functions
        case .nothing: .nothing
        }
    }
}
