// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension ReportDatabase {
    static var deliveryName: String { Belonging.deliveryState.directoryName }

    /// The initial state if the report was never tried. A broken file is kept as
    /// `<uuid>.json.corrupt-<seconds>` and counts as missing.
    package func deliveryState(of uuid: Epitaph.ID) throws(DatabaseError) -> DeliveryState {
        guard let directory = try openDirectory(Self.deliveryName, ifMissing: .fail) else {
            return DeliveryState()
        }
        let name = Belonging.deliveryState.name(of: uuid)
        let read = try read(name, in: directory) { DeliveryState($0) }
        return read ?? DeliveryState()
    }

    /// Changes the delivery state.
    ///
    /// - Throws: `.busy` while the report is being sent; `.notFound` without one.
    package func updateDeliveryState(
        of uuid: Epitaph.ID, _ edit: (inout DeliveryState) -> Void
    ) throws(DatabaseError) {
        let place = directory(of: try report(uuid).state)
        let lock = try ReportLock.acquire(uuid, in: place, at: clock.now())
        defer { lock.release() }
        let status = try attempt(place.status(of: uuid.minidumpName))
        guard status != nil else { throw .notFound(uuid.fileStem) }
        var state = try deliveryState(of: uuid)
        edit(&state)
        try write(state, of: uuid)
    }

    /// Replaces the file atomically. The caller holds the report's lock.
    func write(_ state: DeliveryState, of uuid: Epitaph.ID) throws(DatabaseError) {
        let name = Belonging.deliveryState.name(of: uuid)
        if state == DeliveryState() { return try remove(.deliveryState, of: uuid) }
        guard let bytes = state.bytes else { return }
        try attempt(replace(name, with: bytes))
    }

    /// Nil if it is missing, or if it is damaged and was put aside.
    func read<Value>(
        _ name: String, in directory: Directory,
        _ parse: ([UInt8]) throws(DatabaseError) -> Value?
    ) throws(DatabaseError) -> Value? {
        let bytes = try attempt { () throws(SystemError) -> [UInt8]? in
            switch try directory.find(name, for: .reading) {
            case .missing: nil
            case .somethingElse: []
            case .regular(let file, _): try file.readAll(limit: DeliveryState.fileSizeLimit)
            }
        }
        guard let bytes else { return nil }
        if let value = try parse(bytes) { return value }
        // In a read-only database it stays.
        let aside = "\(name).corrupt-\(clock.now().wholeSeconds)"
        _ = try? directory.move(name, aside: aside, in: directory)
        return nil
    }

    /// Durable. Written in `new/`, where cleaning finds a leftover of a dead process.
    func replace(
        _ name: String, in directoryName: String = ReportDatabase.deliveryName,
        with bytes: [UInt8]
    ) throws(SystemError) {
        try root.makeAndOpen(directoryName).replace(
            name, with: bytes, writing: Epitaph.ID().fileStem + ".json", in: newReports,
            isSynced: true)
    }
}
