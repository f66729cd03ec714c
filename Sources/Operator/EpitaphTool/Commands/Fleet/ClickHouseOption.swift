// SPDX-License-Identifier: Apache-2.0

import EpitaphFleet
import EpitaphHTTP
import EpitaphSystem

/// A table's URL, or where to read it with credentials, which do not belong on a command line.
enum ClickHouseOption {
    private static let variablePrefix = "env:"

    /// - Parameter text: `clickhouse:URL`; `@FILE`, `@credential:NAME` or `@env:NAME` to read that
    ///   from.
    static func location(
        _ text: String, of command: CommandDescription, _ output: Output
    ) throws(CommandFailure) -> ClickHouseLocation {
        try orMisuse(of: command, ClickHouseLocation(written(text, output)))
    }

    static func transport(
        _ arguments: ParsedArguments, _ change: (inout TransportOptions) -> Void
    ) throws(CommandFailure) -> CurlTransport {
        var options = TransportOptions()
        options.caFile = arguments.value(of: .caFile)
        change(&options)
        return try orFail(CurlTransport(options))
    }

    private static func written(
        _ text: String, _ output: Output
    ) throws(FleetError) -> String {
        guard text.hasPrefix("@") else { return text }
        let source = String(text.dropFirst())
        if source.hasPrefix(variablePrefix) {
            let name = String(source.dropFirst(variablePrefix.count))
            guard let value = CurrentProcess.environmentVariable(name) else {
                throw .invalidLocation(reason: "the variable \(name) is not set")
            }
            return value
        }
        do throws(SecretError) {
            let file = try SecretFile(
                source,
                credentials: CurrentProcess.environmentVariable("CREDENTIALS_DIRECTORY"))
            if let warning = file.warning { output.note(warning) }
            return try file.text()
        } catch {
            throw .invalidLocation(reason: error.description)
        }
    }
}
