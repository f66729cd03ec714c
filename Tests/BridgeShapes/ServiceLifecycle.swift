// SPDX-License-Identifier: Apache-2.0
//
// What docs/bridges.md uses of swift-service-lifecycle, in the shape that its public API has, and a
// group of one service.

import Synchronization

public protocol Service: Sendable {
    func run() async throws
}

/// Waits until the group is shut down gracefully.
///
/// - Throws: `CancellationError` if the task is cancelled before.
public func gracefulShutdown() async throws {
    guard let group = ServiceGroup.current else { throw CancellationError() }
    try await group.waitForShutdown()
}

public final class ServiceGroup: Sendable {
    @TaskLocal static var current: ServiceGroup?

    private let service: any Service
    private let isShuttingDown = Atomic(false)
    private let isWaiting = Atomic(false)

    public init(_ service: any Service) { self.service = service }

    public func run() async throws {
        try await Self.$current.withValue(self) { try await service.run() }
    }

    public func triggerGracefulShutdown() { isShuttingDown.store(true, ordering: .releasing) }

    /// Whether the service has come so far that it waits for its end.
    public var serviceWaits: Bool { isWaiting.load(ordering: .acquiring) }

    func waitForShutdown() async throws {
        isWaiting.store(true, ordering: .releasing)
        while !isShuttingDown.load(ordering: .acquiring) {
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}
