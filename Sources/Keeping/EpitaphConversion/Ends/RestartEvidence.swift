// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues

enum RestartEvidence: Sendable, Equatable {
    case shutdown(Timestamp)
    case withoutShutdown(Timestamp)
    case kernelCrash(String)
    case unknown(String)

    var end: LaunchEnd {
        switch self {
        case .shutdown: .shutdown
        case .withoutShutdown, .kernelCrash: .powerLoss
        case .unknown: .lostToReboot
        }
    }

    var evidence: String {
        switch self {
        case .shutdown(let time): "wtmp has a shutdown at \(time.inSeconds)"
        case .withoutShutdown(let time):
            "wtmp has a start of the machine at \(time.inSeconds) and no shutdown before it"
        case .kernelCrash(let name): "the kernel left a log of its crash: \(name)"
        case .unknown(let reason): "how the machine came to be restarted is not known: \(reason)"
        }
    }
}

extension Timestamp {
    fileprivate var inSeconds: String { UTCTime.timestamp(self) }
}

struct MachineLogs: Sendable {
    /// wtmp(5), oldest first.
    var wtmpPaths = ["/var/log/wtmp.1", "/var/log/wtmp"]
    /// Where crashed kernels leave their logs, and where systemd-pstore(8) moves them.
    var pstorePaths = ["/sys/fs/pstore", "/var/lib/systemd/pstore"]
    /// Read from the end: a machine has few starts, but many logins.
    private static let mostBytes = 64 << 20

    init() {}

    init(wtmpPaths: [String], pstorePaths: [String]) {
        self.wtmpPaths = wtmpPaths
        self.pstorePaths = pstorePaths
    }

    /// The restart after a launch of another boot, which started at `start`.
    func restart(after start: Timestamp?) -> RestartEvidence {
        guard let start else { return .unknown("the launch record has no time") }
        let events = wtmpPaths.flatMap { Self.events(in: $0) }
        let restart = WtmpEvent.restart(in: events, after: start)
        if case .shutdown = restart { return restart }
        if let name = crashLog(after: start) { return .kernelCrash(name) }
        return restart
    }

    private func crashLog(after start: Timestamp) -> String? {
        for path in pstorePaths {
            guard let directory = try? Directory(opening: path),
                let names = try? directory.list(limit: 1000).names
            else { continue }
            for name in names.sorted() {
                guard let status = (try? directory.status(of: name)) ?? nil,
                    status.modificationTime >= start,
                    name.hasPrefix("dmesg-") || status.kind == .directory
                else { continue }
                return directory.path(of: name)
            }
        }
        return nil
    }

    private static func events(in path: String) -> [WtmpEvent] {
        guard let file = try? FileDescriptor.openForReading(path),
            let size = try? file.fileStatus().sizeBytes
        else { return [] }
        let stride = WtmpEvent.recordBytes
        let first = max(0, size - mostBytes) / stride * stride
        guard let bytes = try? file.readBytes(count: min(size, mostBytes), at: first) else {
            return []
        }
        return WtmpEvent.events(bytes)
    }
}
