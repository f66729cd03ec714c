// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The terminal behind a descriptor, and what the environment says about how to use one.
package enum Terminal {
    /// Columns of the terminal: TIOCGWINSZ of tty_ioctl(4), then `COLUMNS`, then 80.
    ///
    /// Nil if the descriptor is not a terminal. A terminal that does not know its size reports 0.
    package static func width(of file: FileDescriptor) -> Int? {
        guard file.isTerminal else { return nil }
        var size = winsize()
        if ioctl(file.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
            return Int(size.ws_col)
        }
        let columns = CurrentProcess.environmentVariable("COLUMNS").flatMap { Int($0) }
        return columns.flatMap { (1...10_000).contains($0) ? $0 : nil } ?? 80
    }

    /// Whether text written to the descriptor may move a cursor and erase lines: a terminal, but
    /// not with `TERM=dumb`, which editors use for the one they imitate.
    package static func isCapable(_ file: FileDescriptor) -> Bool {
        file.isTerminal && !isDumb
    }

    /// Whether colours are wanted there: `NO_COLOR` (no-color.org) forbids them, `CLICOLOR_FORCE`
    /// other than 0 demands them (bixense.com/clicolors); otherwise they are for terminals that can
    /// show them, unless `CLICOLOR` is 0.
    package static func wantsColour(_ file: FileDescriptor) -> Bool {
        if CurrentProcess.environmentVariable("NO_COLOR") != nil { return false }
        if let force = CurrentProcess.environmentVariable("CLICOLOR_FORCE"), force != "0" {
            return true
        }
        return isCapable(file) && CurrentProcess.environmentVariable("CLICOLOR") != "0"
    }

    private static var isDumb: Bool {
        CurrentProcess.environmentVariable("TERM") == "dumb"
    }
}
