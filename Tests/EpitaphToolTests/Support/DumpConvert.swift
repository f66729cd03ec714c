// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// Runs the program under test; nothing of this process's own settings reaches it.
func dumpConvert(
    _ arguments: [String], environment: [String: String] = [:], on machine: [String] = []
) throws -> Subprocess {
    var variables = [
        "EPITAPH_DATABASE": "", "EPITAPH_UPLOAD_URL": "", "EPITAPH_LOG_URL": "", "no_proxy": "*",
        "NO_COLOR": "", "CLICOLOR": "", "CLICOLOR_FORCE": "",
    ]
    variables.merge(environment) { $1 }
    return try Subprocess.run(
        machine + [Products.executable("dump-convert")] + arguments, environment: variables,
        deadlineSeconds: 30)
}

/// Begins the command line of a program that finds no database and no configuration on its machine,
/// though Epitaph is installed here, and used.
let machineWithoutDatabases = [
    "bwrap", "--dev-bind", "/", "/", "--tmpfs", "/etc", "--tmpfs", "/var/lib",
]

extension Subprocess {
    var exitStatus: Int32? {
        guard case .exited(let status) = ending else { return nil }
        return status
    }

    /// Expects that the program failed, with this status and with these words on standard error.
    func expectFailure(
        _ status: Int32, saying words: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(ending == .exited(status), sourceLocation: sourceLocation)
        for text in words {
            #expect(standardError.contains(text), sourceLocation: sourceLocation)
        }
    }
}

func dumpConvert(
    _ arguments: String..., environment: [String: String] = [:]
) throws -> Subprocess {
    try dumpConvert(arguments, environment: environment)
}

/// What the program under test prints; it has to succeed.
@discardableResult
func dumpConvertOutput(
    _ arguments: [String], environment: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> String {
    let result = try dumpConvert(arguments, environment: environment)
    #expect(
        result.ending == .exited(0), "\(result.standardError)", sourceLocation: sourceLocation)
    return result.standardOutput
}

@discardableResult
func dumpConvertOutput(
    _ arguments: String..., environment: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> String {
    try dumpConvertOutput(arguments, environment: environment, sourceLocation: sourceLocation)
}

/// Runs another program, without which the test cannot go on.
func runTool(_ command: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
    let result = try Subprocess.run(command)
    try #require(
        result.ending == .exited(0), "\(command): \(result.standardError)",
        sourceLocation: sourceLocation)
}

/// JSON objects, one on each line.
func jsonLines(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").map { try jsonObject($0) }
}

/// A JSON text that is an object.
func jsonObject(_ text: some StringProtocol) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
}

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
