// SPDX-License-Identifier: Apache-2.0

import EpitaphCores
import EpitaphValues

/// Cores that are made of reports.
enum CoreOutput {
    /// - Parameter path: of the report, for messages.
    static func writer(
        of snapshot: ProcessSnapshot, at path: String
    ) throws(CommandFailure) -> CoreWriter {
        do {
            return try CoreWriter(snapshot)
        } catch {
            throw CommandFailure(.incomplete, "no core can be made of \(path): \(reason(error))")
        }
    }

    private static func reason(_ error: CoreFileError) -> String {
        guard case .unsupported(let what) = error else { return error.description }
        return "it would be one \(what)"
    }
}
