// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import FoundationEssentials

/// The texts in an answer that is a JSON object (RFC 8259), by name; members of other types are
/// left out.
struct JSONAnswer: Decodable {
    private var texts: [String: String] = [:]

    /// Nil if the answer is something else, or incomplete.
    init?(_ response: UploadResponse) {
        guard !response.isBodyCut,
            let answer = try? JSONDecoder().decode(JSONAnswer.self, from: Data(response.body))
        else { return nil }
        self = answer
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Name.self)
        for name in members.allKeys {
            texts[name.stringValue] = try? members.decode(String.self, forKey: name)
        }
    }

    subscript(name: String) -> String? { texts[name] }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
