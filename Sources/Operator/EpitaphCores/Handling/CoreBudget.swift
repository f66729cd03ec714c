// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import Glibc

/// What kept cores may take of a disk, as MaxUse and KeepFree of coredump.conf(5).
package struct CoreBudget: Sendable, Equatable {
    package var maxUseBytes: Int
    package var keepFreeBytes: Int

    package init(maxUseBytes: Int, keepFreeBytes: Int) {
        self.maxUseBytes = maxUseBytes
        self.keepFreeBytes = keepFreeBytes
    }

    package struct Core: Sendable, Equatable {
        package let name: String
        package let userID: UInt32
        package let timeSeconds: Int64
        package let bytes: Int

        /// - Parameter name: `core.NAME.UID.PID.TIME`; nil for any other. NAME may have dots.
        package init?(name: String, bytes: Int) {
            let fields = name.split(separator: ".", omittingEmptySubsequences: false)
            guard fields.count >= 5, fields[0] == "core",
                let time = Int64(fields[fields.count - 1]),
                Int32(fields[fields.count - 2]) != nil,
                let user = UInt32(fields[fields.count - 3])
            else { return nil }
            self.name = name
            self.bytes = bytes
            userID = user
            timeSeconds = time
        }
    }

    /// What has to go so that `wanted` more bytes fit: the oldest of the user whose cores take the
    /// most, until it is enough or that user has only `spared`, the core being written.
    package func removals(
        of cores: [Core], freeBytes: Int, wanted: Int, sparing spared: String? = nil
    ) -> [Core] {
        var uses = Dictionary(grouping: cores, by: \.userID)
            .mapValues { $0.reduce(0) { $0 + $1.bytes } }
        var left = cores.filter { $0.name != spared }.sorted { $0.timeSeconds > $1.timeSeconds }
        var removed: [Core] = []
        var gained = 0
        while room(of: uses.values.reduce(0, +), freeBytes: freeBytes + gained) < wanted {
            let most = uses.max { ($0.value, $0.key) < ($1.value, $1.key) }
            guard let user = most?.key, let index = left.lastIndex(where: { $0.userID == user })
            else { break }
            let core = left.remove(at: index)
            removed.append(core)
            gained += core.bytes
            uses[user, default: 0] -= core.bytes
        }
        return removed
    }

    private func room(of usedBytes: Int, freeBytes: Int) -> Int {
        min(maxUseBytes - usedBytes, freeBytes - keepFreeBytes)
    }
}

extension CoreBudget {
    init(_ settings: CoreHandlerSettings, of directory: Directory) throws(SystemError) {
        let space = try directory.space()
        self.init(
            maxUseBytes: settings.keptCoresMebibytes.map { $0 << 20 } ?? space.totalBytes / 10,
            keepFreeBytes: settings.keptCoresFreeMebibytes.map { $0 << 20 }
                ?? space.totalBytes / 100 * 15)
    }

    /// Removes kept cores but `spared` so that `wanted` more bytes fit. Returns how many bytes fit.
    func makeRoom(
        in directory: Directory, wanted: Int, sparing spared: String? = nil
    ) throws(SystemError) -> Int {
        var cores: [Core] = []
        for name in try directory.list().names {
            guard let status = try directory.status(of: name), status.kind == .regular,
                let core = Core(name: name, bytes: status.diskBytes)
            else { continue }
            cores.append(core)
        }
        let free = try directory.space().freeBytes
        let removed = removals(of: cores, freeBytes: free, wanted: wanted, sparing: spared)
        for core in removed { try directory.remove(core.name) }
        let gained = removed.reduce(0) { $0 + $1.bytes }
        let used = cores.reduce(0) { $0 + $1.bytes } - gained
        return room(of: used, freeBytes: free + gained)
    }
}
