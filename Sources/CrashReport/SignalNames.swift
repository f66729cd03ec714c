// SPDX-License-Identifier: Apache-2.0

/// Names of Linux's signals, for sentences outside of reports.
public enum SignalNames {
    /// `SIGSEGV`
    public static func name(of signal: Int32) -> String {
        SignalTable.name(of: signal)
    }
}
