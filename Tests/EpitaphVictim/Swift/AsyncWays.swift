// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// Starts the task that `way` names; false when it names none. The main thread is then the main
/// actor's.
func crashInShape(_ way: String) -> Bool {
    guard let start = taskStart(way) else { return false }
    Task.detached { await start() }
    dispatchMain()
}

private func taskStart(_ way: String) -> (@Sendable () async -> Int)? {
    switch way {
    case "async-calls": { await branch() }
    case "async-trap": { await trapBranch(5) }
    case "async-deep": { await deepBranch(200) }
    case "async-recursion": { await descend(4) }
    case "async-return": { await ascend(5) }
    case "async-let": { await letParent() }
    case "async-let-busy": { await busyParent() }
    case "async-server": { await serveConnections() }
    case "async-group": { await groupParent() }
    case "async-group-body": { await groupBody() }
    case "async-actor": { await customer() }
    case "async-main-actor": { await onMain() }
    case "async-throws": { await reader(2) }
    case "async-stream": { await drain() }
    case "async-unfolding": { await fill() }
    case "async-protocol": { await orderAny(Bakery()) }
    case "async-closure": { await closures() }
    case "async-continuation": { await callbackBranch() }
    case "async-task-local": { await withRequest() }
    case "async-sleep": { await napBranch() }
    case "async-task": { await awaitTask() }
    case "async-task-busy": { await busyStarter() }
    default: nil
    }
}
