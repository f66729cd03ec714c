// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A file that symbol servers find by build id: debuginfod(8), "WEBAPI".
package struct SymbolRequest: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case executable
        case debugInformation
        /// A source file, by the absolute path that the compiler recorded.
        case source(String)
    }

    package let kind: Kind
    package let buildID: [UInt8]
    package let module: String

    package init(_ kind: Kind, buildID: [UInt8], module: String) {
        self.kind = kind
        self.buildID = buildID
        self.module = module
    }

    package var buildIDDigits: String { buildID.hexDigits }

    var words: String {
        switch kind {
        case .executable: "the executable file of \(module)"
        case .debugInformation: "the debug information of \(module)"
        case .source(let path): "\(path) of \(module)"
        }
    }
}
