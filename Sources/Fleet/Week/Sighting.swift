// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What a page of many reports has to know of one.
public struct Sighting: Sendable, Equatable {
    /// The report's id; one that is there twice counts once.
    public var id: UUID
    /// When the process died.
    public var time: Date
    /// The machine's name; empty if it is not known.
    public var host: String
    /// The file name of the executable.
    public var program: String
    /// What the program says is its version.
    public var version: String
    /// What the report is of: `crash`, `hang` and so on.
    public var kind: String
    /// For people.
    public var signature: String
    /// For machines; equal for equal signatures.
    public var signatureID: String

    /// A sighting with these values; empty texts are unknown.
    public init(
        id: UUID, time: Date, host: String = "", program: String = "", version: String = "",
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
    public init(_ record: CrashRecord) {
        self.init(
            id: record.id, time: record.time, host: record.host, program: record.program,
            version: record.version, kind: record.kind, signature: record.signature,
            signatureID: record.signatureID)
    }
}
