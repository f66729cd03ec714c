// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

package struct CrashRecord: Sendable, Equatable {
    /// The same report always has the same id, so that duplicate rows count once.
    package var id: Epitaph.ID
    /// When the process died, to the microsecond.
    package var time: Timestamp
    /// When a clock other than the machine's, of the bucket or the file, first saw the report.
    package var arrived: Timestamp?
    /// The machine's name: the annotation `server_name`, otherwise from the report itself.
    package var host: String
    package var program: String
    package var version: String
    /// Of the executable, in lower-case hexadecimal digits.
    package var buildID: String
    /// For people: `null-dereference parse(_:) | handle(_:)`.
    package var signature: String
    /// 16 hexadecimal digits derived from `signature`.
    package var signatureID: String
    package var kind: String
    package var signal: String
    package var function: String
    /// Functions of the thread that the report is about, innermost first, with inlined ones. Frames
    /// without a name are `module+0xoffset`.
    package var frames: [String]
    package var annotations: [String: String]

    package init(
        id: Epitaph.ID, time: Timestamp, arrived: Timestamp? = nil, host: String = "",
        program: String = "", version: String = "",
        buildID: String = "", signature: String = "", signatureID: String = "",
        kind: String = "", signal: String = "", function: String = "", frames: [String] = [],
        annotations: [String: String] = [:]
    ) {
        self.id = id
        self.time = time
        self.arrived = arrived
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
