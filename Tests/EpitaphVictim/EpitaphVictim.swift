// SPDX-License-Identifier: Apache-2.0
//
// EpitaphVictim SUBCOMMAND [ARGUMENT]...: what tests and scripts run to see it die, hang or be
// interrupted, in a process of its own. A folder for each subcommand; its first file says what the
// arguments are.

import Dispatch
import Foundation

@main enum Program {
    @MainActor static func main() throws {
        var arguments = CommandLine.arguments
        let subcommand = arguments.count > 1 ? arguments.remove(at: 1) : ""
        let own = arguments
        switch subcommand {
        case "swift": try SwiftVictim.run(own)
        case "facade": runTask { try await FacadeVictim.run(own) }
        case "capture": try CaptureVictim.run(own)
        case "scope": runTask { try await ScopeVictim.run(own) }
        case "watch": try WatchVictim.run(own)
        case "request": runTask { try await RequestVictim.run(own) }
        case "database": DatabaseVictim.run(own)
        default:
            print("usage: EpitaphVictim swift|facade|capture|scope|watch|request|database ...")
            exit(64)
        }
    }

    /// Runs `body` as Swift runs an async main: in a task on the main actor, which begins on the main
    /// thread; from its first suspension on the main queue is served.
    @MainActor private static func runTask(
        _ body: @escaping @MainActor () async throws -> Void
    ) -> Never {
        Task.immediate { @MainActor in
            try! await body()
            exit(0)
        }
        dispatchMain()
    }
}
