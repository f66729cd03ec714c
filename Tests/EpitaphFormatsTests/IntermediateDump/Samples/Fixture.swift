// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// A dump in Tests/Fixtures/intermediate-dumps; `<name>.txt` beside it is its readable twin.
struct Fixture: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]

    var testDescription: String { name }

    static let directory = Products.fixture("intermediate-dumps")

    static let all: [Fixture] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return files.filter { $0.hasSuffix(".dump") }.sorted().compactMap { file in
            FileManager.default.contents(atPath: directory + "/" + file).map {
                Fixture(name: String(file.dropLast(5)), bytes: Array($0))
            }
        }
    }()

    static let small = all.filter { $0.bytes.count < 10_000 }

    /// The twin's text; nil when there is none.
    var twin: String? {
        FileManager.default.contents(atPath: "\(Self.directory)/\(name).txt")
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
