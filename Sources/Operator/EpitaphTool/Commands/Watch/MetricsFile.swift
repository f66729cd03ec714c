// SPDX-License-Identifier: Apache-2.0

import EpitaphService
import EpitaphSystem

/// The file for node_exporter's textfile collector. It is written even without changes: its
/// modification time shows that the service is alive.
struct MetricsFile {
    private static let longest = 4 << 20
    let path: String?
    private let interval: Double
    private let start = SystemWallClock().now()
    private var lastWrite: ContinuousClock.Instant?

    init(_ options: ServiceOptions) {
        path = options.metricsFile
        interval = options.metricsInterval
    }

    var earlierText: String? {
        guard let path, let file = try? FileDescriptor.openForReading(path),
            let status = try? file.fileStatus(), status.kind == .regular,
            let bytes = try? file.readAll(limit: Self.longest)
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Replaces the file atomically when its interval is over.
    ///
    /// - Returns: a sentence if it cannot be written.
    mutating func write(
        _ figures: ServiceFigures, isForced: Bool, isUp: Bool
    ) -> String? {
        guard let path else { return nil }
        let now = ContinuousClock.now
        if !isForced, let lastWrite, now - lastWrite < .seconds(interval * 0.9) { return nil }
        lastWrite = now
        do throws(CommandFailure) {
            let text = figures.text(
                start: start, now: SystemWallClock().now(), isUp: isUp)
            try OutputFile(path, existing: .replace).fill(permissions: 0o644) {
                sink throws(SystemError) in try sink.append(Array(text.utf8))
            }
            return nil
        } catch {
            return error.sentence
        }
    }
}
