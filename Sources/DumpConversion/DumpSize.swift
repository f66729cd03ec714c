// SPDX-License-Identifier: Apache-2.0

extension DumpSweep {
    /// Our own have some mebibytes, and 70 or so with all limits reached. A larger file is none of
    /// them, however few blocks of the disk it takes.
    static let mostDumpBytes = 2 << 30

    static let tooLarge = "it is larger than \(mostDumpBytes >> 30) GiB, which no dump is"
}
