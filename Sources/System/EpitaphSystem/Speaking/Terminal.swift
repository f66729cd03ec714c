// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The terminal behind a descriptor, and its environment variables.
package enum Terminal {
    /// Columns: TIOCGWINSZ, tty_ioctl(4), `COLUMNS`, or 80; nil if it is no terminal.
    package static func width(of file: FileDescriptor) -> Int? {
        guard file.isTerminal else { return nil }
        var size = winsize()
        if ioctl(file.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
            return Int(size.ws_col)
        }
        let columns = CurrentProcess.environmentVariable("COLUMNS").flatMap { Int($0) }
        return columns.flatMap { (1...10_000).contains($0) ? $0 : nil } ?? 80
    }

    /// Whether output may move the cursor and erase lines: on terminals except with `TERM=dumb`.
    package static func isCapable(_ file: FileDescriptor) -> Bool {
        file.isTerminal && !isDumb
    }

    /// Not with `NO_COLOR` (no-color.org); always with a nonzero `CLICOLOR_FORCE`
    /// (bixense.com/clicolors); otherwise on capable terminals, unless `CLICOLOR` is 0.
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
