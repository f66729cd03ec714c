// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where things of this package are while its tests run.
package enum Products {
    /// The directory of the build products, which contains the test runner.
    package static let directory: String = {
        let runner =
            CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: runner).deletingLastPathComponent().path
    }()

    /// The path of an executable of this package, for example `dump-convert`.
    package static func executable(_ name: String) -> String {
        directory + "/" + name
    }

    /// The package's root directory.
    package static let packageRoot: String =
        URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    /// A file below Tests/Fixtures.
    package static func fixture(_ name: String) -> String {
        packageRoot + "/Tests/Fixtures/" + name
    }
}
