// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

package struct Sighting: Sendable, Equatable {
    package var id: Epitaph.ID
    package var time: Timestamp
    /// When another clock first saw the report; nil if unknown.
    package var arrived: Timestamp?
    /// Empty if unknown.
    package var host: String
    package var program: String
    package var version: String
    package var kind: String
    package var signature: String
    package var signatureID: String

    package init(
        id: Epitaph.ID, time: Timestamp, arrived: Timestamp? = nil, host: String = "",
        program: String = "", version: String = "",
        kind: String = "crash", signature: String = "", signatureID: String = ""
    ) {
        self.id = id
        self.time = time
        self.arrived = arrived
        self.host = host
        self.program = program
        self.version = version
        self.kind = kind
        self.signature = signature
        self.signatureID = signatureID
    }
}
