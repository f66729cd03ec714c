// SPDX-License-Identifier: Apache-2.0

import Snapshot

extension FieldReader {
    /// What the handler noted in DAMAGE, in words.
    mutating func captureDamage(_ root: DumpMap) -> [Damage] {
        elements(.damage, in: root) { map, fields in
            let section = fields.integer(.damageSection, in: map, as: UInt16.self)
                .map { DumpKey(rawValue: $0) }
            let subject = fields.integer(.damageSubject, in: map, as: UInt64.self) ?? 0
            let why = fields.integer(.damageWhy, in: map, as: UInt32.self)
            let errorNumber = fields.integer(.damageErrno, in: map, as: Int32.self)
            return Damage(
                stage: .capture, subject: section?.damagedPart(subject) ?? "dump",
                reason: why.map { fields.whyWords($0) } ?? "the reason is not recorded",
                errorNumber: errorNumber == 0 ? nil : errorNumber)
        }
    }
}

extension DumpKey {
    /// The part of the process that DAMAGE_SECTION and DAMAGE_SUBJECT name; a subject of 0 is none.
    fileprivate func damagedPart(_ subject: UInt64) -> String {
        let words = sectionWords
        guard subject != 0 else { return words.plural }
        return isThreadPart ? "\(words.single) \(subject)" : "\(words.single) \(subject.hex)"
    }

    private var isThreadPart: Bool {
        switch self {
        case .threads, .threadState, .floatState, .threadName, .stackRegionAddress,
            .stackRegionData, .threadContextMemoryRegions, .threadDataAddress,
            .threadSystemCall:
            true
        default: false
        }
    }

    /// The words before a subject, and the words when there is none.
    private var sectionWords: (single: String, plural: String) {
        switch self {
        case .threads: ("thread", "threads")
        case .threadState: ("registers of thread", "registers")
        case .floatState: ("floating-point registers of thread", "floating-point registers")
        case .threadName: ("name of thread", "thread names")
        case .stackRegionAddress, .stackRegionData: ("stack of thread", "stacks")
        case .threadContextMemoryRegions:
            ("memory that the registers point to, of thread", "memory that the registers point to")
        case .memoryRegions, .memoryRegionData: ("memory at", "memory")
        case .modules: ("module at", "modules")
        case .moduleBuildID: ("build id of the module at", "build ids")
        case .moduleName: ("name of the module at", "module names")
        case .moduleImage: ("image of the module at", "module images")
        case .dynamicLinker: ("dynamic linker's list at", "dynamic linker's list")
        case .dynamicSectionData: ("dynamic section at", "dynamic section")
        case .annotationsSimpleMap: ("annotations at", "annotations")
        case .messages: ("message at", "messages")
        case .signalException: ("exception", "exception")
        case .processInfo: ("process facts", "process facts")
        case .systemInfo: ("system facts", "system facts")
        case .systemFiles: ("system files", "system files")
        default: (plainName, plainName)
        }
    }

    private var plainName: String {
        guard let name else { return label }
        return name.lowercased().split(separator: "_").joined(separator: " ")
    }
}
