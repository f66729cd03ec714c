// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LinuxSystem

/// `delivery/`, beside Crashpad's own directories: its tools never look there.
extension ReportDatabase {
    static var deliveryName: String { "delivery" }

    /// What is known of the delivery of a report; nothing for one that was never tried. A file that
    /// holds something else is kept aside as `<uuid>.json.corrupt-<seconds>` and counts as missing.
    public func deliveryState(of uuid: UUID) throws(DatabaseError) -> DeliveryState {
        guard let directory = try openDirectory(Self.deliveryName, ifMissing: .fail) else {
            return DeliveryState()
        }
        let name = uuid.deliveryName
        let read = try readDeliveryFile(name, in: directory) { DeliveryState($0) }
        return read ?? DeliveryState()
    }

    /// Changes what is known of the delivery of a report that nobody works on.
    ///
    /// - Throws: `.busy` while it is being sent; `.notFound` when there is no such report.
    public func updateDeliveryState(
        of uuid: UUID, _ edit: (inout DeliveryState) -> Void
    ) throws(DatabaseError) {
        let place = directory(of: try report(uuid).state)
        let lock = try ReportLock.acquire(uuid, in: place, at: clock.now())
        defer { lock.release() }
        let status = try attempt { () throws(SystemError) in
            try place.status(of: uuid.minidumpName)
        }
        guard status != nil else { throw .notFound(uuid.fileStem) }
        var state = try deliveryState(of: uuid)
        edit(&state)
        try write(state, of: uuid)
    }

    /// Forgets what is known of the delivery of a report. The caller holds its lock, or the report
    /// is gone.
    func removeDeliveryState(of uuid: UUID) throws(SystemError) {
        let directory: Directory
        do throws(SystemError) {
            directory = try root.openDirectory(Self.deliveryName)
        } catch {
            guard error.isNotFound else { throw error }
            return
        }
        try directory.remove(uuid.deliveryName)
        try directory.remove(uuid.deliveryName + Self.unfinishedSuffix)
    }

    /// Puts the state in place whole. The caller holds the report's lock.
    func write(_ state: DeliveryState, of uuid: UUID) throws(DatabaseError) {
        if state == DeliveryState() {
            try attempt { () throws(SystemError) in try removeDeliveryState(of: uuid) }
            return
        }
        guard let bytes = state.bytes else { return }
        try attempt { () throws(SystemError) in
            let directory = try root.makeAndOpen(Self.deliveryName)
            let unfinished = uuid.deliveryName + Self.unfinishedSuffix
            let file = try directory.openForWriting(unfinished, creating: true)
            try directory.complete(file, unfinished, as: uuid.deliveryName, with: bytes)
        }
    }
}

extension ReportDatabase {
    static var unfinishedSuffix: String { ".new" }

    /// What `parse` makes of a file; nil when there is none, or it made nothing of it.
    func readDeliveryFile<Value>(
        _ name: String, in directory: Directory, _ parse: ([UInt8]) -> Value?
    ) throws(DatabaseError) -> Value? {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try directory.openForReading(name).readAll(limit: DeliveryState.fileSizeLimit)
        } catch {
            if error.isNotFound { return nil }
            guard error.isSymbolicLink || error.isADirectory else { throw .system(error) }
            bytes = []
        }
        if let value = parse(bytes) { return value }
        // Where it cannot be put aside, in a database that may only be read, it stays.
        let aside = "\(name).corrupt-\(clock.now().wholeSeconds)"
        _ = try? directory.rename(name, to: directory, as: aside)
        return nil
    }
}

extension Directory {
    /// Fills a file, syncs it and gives it its name; removes it when that fails.
    func complete(
        _ file: FileDescriptor, _ unfinished: String, as name: String, with bytes: [UInt8]
    ) throws(SystemError) {
        do throws(SystemError) {
            try file.truncate(toBytes: 0)
            try file.writeAll(bytes, at: 0)
            try file.synchronize()
            try rename(unfinished, to: self, as: name)
            try synchronize()
        } catch {
            _ = try? remove(unfinished)
            throw error
        }
    }
}

extension UUID {
    var deliveryName: String { fileStem + ".json" }
}
