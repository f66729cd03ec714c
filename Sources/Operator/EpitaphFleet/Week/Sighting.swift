// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// What a page of many reports has to know of one.
package struct Sighting: Sendable, Equatable {
    /// The report's id; one that is there twice counts once.
    package var id: Epitaph.ID
    /// When the process died.
    package var time: Timestamp
    /// The machine's name; empty if it is not known.
    package var host: String
    /// The file name of the executable.
    package var program: String
    /// What the program says is its version.
    package var version: String
    /// What the report is of: `crash`, `hang` and so on.
    package var kind: String
    /// For people.
    package var signature: String
    /// For machines; equal for equal signatures.
    package var signatureID: String

    /// A sighting with these values; empty texts are unknown.
    package init(
        id: Epitaph.ID, time: Timestamp, host: String = "", program: String = "",
        version: String = "",
        kind: String = "crash", signature: String = "", signatureID: String = ""
    ) {
        self.id = id
        self.time = time
        self.host = host
        self.program = program
        self.version = version
        self.kind = kind
        self.signature = signature
        self.signatureID = signatureID
    }

    /// Of what a table keeps.
    package init(_ record: CrashRecord) {
        self.init(
            id: record.id, time: record.time, host: record.host, program: record.program,
            version: record.version, kind: record.kind, signature: record.signature,
            signatureID: record.signatureID)
    }
}
