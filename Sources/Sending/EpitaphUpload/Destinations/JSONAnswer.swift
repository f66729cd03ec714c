// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

/// The texts in an answer that is a JSON object (RFC 8259), by name.
struct JSONAnswer {
    private let members: [String: JSONValue]

    init?(_ response: UploadResponse) {
        guard !response.isBodyCut,
            case .object(let members)? = try? JSONValue(parsing: response.body)
        else { return nil }
        self.members = members
    }

    subscript(name: String) -> String? {
        if case .text(let text)? = members[name] { text } else { nil }
    }
}
