// SPDX-License-Identifier: Apache-2.0

import Foundation

/// JSON held against a schema by a validator that is not ours, PyPI's `jsonschema`.
package enum SchemaValidator {
    /// What is wrong with documents, a line each; empty when nothing is.
    ///
    /// - Parameter schema: its path.
    package static func complaints(
        about documents: [String], against schema: String
    ) throws -> [String] {
        let interpreter = Products.packageRoot + "/.build/python/bin/python"
        guard FileManager.default.isExecutableFile(atPath: interpreter) else {
            throw NoServer("\(interpreter) is missing: run Scripts/setup")
        }
        let directory = try TemporaryDirectory()
        let paths = try documents.enumerated().map { index, document in
            try directory.write(Array(document.utf8), to: "\(index).json")
        }
        let result = try Subprocess.run(
            [interpreter, Products.fixture("python/validate_report.py"), schema] + paths,
            deadlineSeconds: 120)
        guard result.ending == .exited(0) else { throw NoServer(result.standardError) }
        return result.standardOutput.split(separator: "\n")
            .map { String($0).replacing(directory.path + "/", with: "") }
    }
}
