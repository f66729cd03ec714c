// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation

/// What a collector.py received.
extension TestServer {
    /// The request line and the headers of a request, counted from 0.
    func head(_ index: Int) throws -> String {
        try String(contentsOfFile: path("\(index).head"), encoding: .utf8)
    }

    /// The body of a request, counted from 0.
    func body(_ index: Int) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: path("\(index).body")))
    }
}
