// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphSystem
import Synchronization

/// Progress and cancellation of one call of libdebuginfod. It counts bytes from the network, which
/// may be compressed a thousandfold, so the written file's size counts, too.
final class DebuginfodTransfer: Sendable {
    private static let unknown = -1

    private let received = Atomic(unknown)
    private let total = Atomic(unknown)
    private let isStopped = Atomic(false)
    private let place: CachePlace
    private let lastLook = Mutex<ContinuousClock.Instant?>(nil)

    init(into place: CachePlace) {
        self.place = place
    }

    /// In bytes; nil until the server sends.
    var bytesReceived: Int? { Self.known(received) }
    var bytesInAll: Int? { Self.known(total) }
    var wasStopped: Bool { isStopped.load(ordering: .acquiring) }

    func stop() { isStopped.store(true, ordering: .releasing) }

    /// For debuginfod_set_progressfn.
    static let progress: @convention(c) (OpaquePointer?, Int, Int) -> Int32 = { client, done, all in
        guard let data = epitaph_debuginfod_get_user_data(client) else { return 0 }
        return Unmanaged<DebuginfodTransfer>.fromOpaque(data).takeUnretainedValue()
            .update(done, all) ? 0 : 1
    }

    private func update(_ done: Int, _ all: Int) -> Bool {
        // 0 until a server sends, negative if it does not state the size.
        if all != 0 {
            received.store(max(done, written), ordering: .relaxed)
            total.store(all > 0 ? all : Self.unknown, ordering: .relaxed)
        }
        return !wasStopped
    }

    /// Measured at most twenty times a second.
    private var written: Int {
        let now = ContinuousClock.now
        return lastLook.withLock { last in
            if let last, now - last < .milliseconds(50) {
                return received.load(ordering: .relaxed)
            }
            last = now
            return place.newBytes
        }
    }

    private static func known(_ value: borrowing Atomic<Int>) -> Int? {
        let value = value.load(ordering: .relaxed)
        return value == unknown ? nil : value
    }
}

/// The files of one request in the cache: `<cache>/<build id>/executable`, `debuginfo` or
/// `source…`, with a suffix while they are written, and empty if no server has the file.
final class CachePlace: Sendable {
    private let directory: String
    private let prefix: String
    private let earlier: [String: Int]

    init(of request: SymbolRequest, in cache: String) {
        directory = cache + "/" + request.buildIDDigits
        switch request.kind {
        case .executable: prefix = "executable"
        case .debugInformation: prefix = "debuginfo"
        case .source: prefix = "source"
        }
        earlier = Self.sizes(directory, prefix)
    }

    var newBytes: Int {
        Self.sizes(directory, prefix).filter { earlier[$0.key] == nil }.values.reduce(0, +)
    }

    func had(_ path: String) -> Bool {
        earlier[path.lastPathComponent] != nil
    }

    /// Whether the cache had a miss before; unknown for a source file.
    var hadMiss: Bool { earlier[prefix] == 0 }

    func removeNewMisses() {
        guard let opened = try? Directory(opening: directory) else { return }
        for (name, size) in Self.sizes(directory, prefix) where size == 0 && earlier[name] == nil {
            _ = try? opened.remove(name)
        }
    }

    private static func sizes(_ directory: String, _ prefix: String) -> [String: Int] {
        guard let opened = try? Directory(opening: directory),
            let names = try? opened.list(limit: 10_000).names
        else { return [:] }
        var sizes: [String: Int] = [:]
        for name in names where name.hasPrefix(prefix) {
            sizes[name] = (try? opened.status(of: name))?.sizeBytes
        }
        return sizes
    }
}
