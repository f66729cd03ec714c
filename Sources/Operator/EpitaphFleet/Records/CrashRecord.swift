// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// What a fleet keeps of one report: one row of the table in docs/fleet.md. Texts that a report
/// does not have are empty, as in a table without nulls.
package struct CrashRecord: Sendable, Equatable {
    /// The report's id; the same report always has the same, so rows that arrive twice are one.
    package var id: Epitaph.ID
    /// When the process died, to the microsecond.
    package var time: Timestamp
    /// The machine's name: what the annotation `server_name` says, or else the report itself.
    package var host: String
    /// The file name of the executable.
    package var program: String
    /// What the program says is its version.
    package var version: String
    /// Of the executable, in lower-case hexadecimal digits.
    package var buildID: String
    /// For people: `null-dereference parse(_:) | handle(_:)`.
    package var signature: String
    /// For machines: 16 hexadecimal digits made from `signature`.
    package var signatureID: String
    /// What the report is of: `crash`, `hang` and so on.
    package var kind: String
    /// `SIGSEGV`; empty for a report without a signal.
    package var signal: String
    /// The innermost function by which the signature names the death.
    package var function: String
    /// The functions of the thread that the report is about, innermost first; inlined ones among
    /// them. Frames without a name are `module+0xoffset`.
    package var frames: [String]
    /// What the program said about itself, by name.
    package var annotations: [String: String]

    /// A record with these values.
    package init(
        id: Epitaph.ID, time: Timestamp, host: String = "", program: String = "",
        version: String = "",
        buildID: String = "", signature: String = "", signatureID: String = "",
        kind: String = "", signal: String = "", function: String = "", frames: [String] = [],
        annotations: [String: String] = [:]
    ) {
        self.id = id
        self.time = time
        self.host = host
        self.program = program
        self.version = version
        self.buildID = buildID
        self.signature = signature
        self.signatureID = signatureID
        self.kind = kind
        self.signal = signal
        self.function = function
        self.frames = frames
        self.annotations = annotations
    }
}
