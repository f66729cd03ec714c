// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension FieldReader {
    private static let whyPartial =
        "the capture ended early; only what it stores first is here: registers and the top of the "
        + "stack"

    /// Adds what THREADS lacks of the crashing thread. Nil if nothing was missing or added.
    mutating func addThread(
        of first: DumpMap, to snapshot: inout ProcessSnapshot
    ) -> Damage? {
        let id = snapshot.exception?.threadID ?? 0
        let index = snapshot.threads.firstIndex { $0.id == id }
        var thread =
            index.map { snapshot.threads[$0] } ?? ThreadSnapshot(id: id, completeness: .missing)
        let registers = self.registers(first, snapshot.architecture)
        let stack = region(.stackRegionAddress, .stackRegionData, in: first)
        let needsRegisters = !thread.hasAllRegisters && registers != nil
        let needsStack = stack.map { $0.isMore(than: thread.stack) } ?? false
        guard needsRegisters || needsStack else { return nil }
        if needsRegisters { thread.registers = registers }
        if needsStack { thread.stack = stack }
        thread.completeness = thread.registers == nil ? .missing : .partial
        thread.whyIncomplete = Self.whyPartial
        // The thread's own entry, if any, has these bytes and more.
        if index == nil { snapshot.memory += memory(.threadContextMemoryRegions, in: first) }
        if let index {
            snapshot.threads[index] = thread
        } else {
            snapshot.threads.insert(thread, at: 0)
        }
        return Damage(stage: .capture, subject: thread.damageSubject, reason: Self.whyPartial)
    }

    /// The process is the one that armed the file: a forked child writes to its own file.
    mutating func addProcess(of first: DumpMap?, to snapshot: inout ProcessSnapshot) {
        if snapshot.process.id == nil {
            let stored = first.flatMap { integer(.pid, in: $0, as: Int32.self) }
            snapshot.process.id = stored == 0 ? nil : stored
        }
        snapshot.process.id = snapshot.process.id ?? snapshot.launch?.processID
        guard snapshot.process.snapshotTime == nil, let first else { return }
        let time = date(.snapshotTime, in: first)
        // All zeros if no clock could be read.
        snapshot.process.snapshotTime = time?.secondsSince1970 == 0 ? nil : time
    }

    /// MESSAGES of the root or, if the dump is cut before their end, of the first record.
    mutating func messages(_ root: DumpMap, orOf first: DumpMap?) -> [CrashMessage] {
        guard let first, first.hasArray(.messages), !root.hasWholeArray(.messages) else {
            return messages(root)
        }
        return messages(first)
    }

    /// MODULES of the root and those of the first record that it lacks.
    mutating func modules(_ root: DumpMap, and first: DumpMap?) -> [ModuleSnapshot] {
        var modules = modules(root)
        guard let first else { return modules }
        let known = Set(modules.map(\.addressRange.lowerBound))
        modules += self.modules(first).filter { !known.contains($0.addressRange.lowerBound) }
        return modules
    }
}

extension ThreadSnapshot {
    fileprivate var hasAllRegisters: Bool {
        switch registers {
        case nil, .pointers: false
        case .x86_64, .aarch64, .named: true
        }
    }
}

extension MemoryRegion {
    fileprivate func isMore(than other: MemoryRegion?) -> Bool {
        bytes.count > other?.bytes.count ?? 0
    }
}
