// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// What Tests/Fixtures/python/list_minidump.py prints.
struct PythonListing: Decodable {
    struct Thread: Decodable {
        var id: UInt64
        var stack: UInt64
        var stackSize: Int

        enum CodingKeys: String, CodingKey {
            case id, stack
            case stackSize = "stack_size"
        }
    }

    struct Module: Decodable {
        var name: String
        var address: UInt64
        var size: UInt64
    }

    struct Memory: Decodable {
        var address: UInt64
        var bytes: String
    }

    struct Mapping: Decodable {
        var address: UInt64
    }

    var processor: String
    /// Nil without MiscInfo.
    var processID: Int?
    var threads: [Thread]
    var modules: [Module]
    var memory: [Memory]
    var mappings: [Mapping]

    enum CodingKeys: String, CodingKey {
        case processor, threads, modules, memory, mappings
        case processID = "process_id"
    }

    static func of(_ path: String) throws -> PythonListing {
        let interpreter = Products.packageRoot + "/.build/python/bin/python"
        try #require(
            FileManager.default.isExecutableFile(atPath: interpreter),
            "\(interpreter) is missing: run Scripts/setup, which makes it")
        let result = try Subprocess.run(
            [interpreter, Products.fixture("python/list_minidump.py"), path], deadlineSeconds: 60)
        try #require(result.ending == .exited(0), "\(result.standardError)")
        return try JSONDecoder().decode(
            PythonListing.self, from: Data(result.standardOutput.utf8))
    }
}
