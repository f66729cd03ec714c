// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphValues

extension FieldReader {
    mutating func captureDamage(_ root: DumpMap) -> [Damage] {
        elements(.damage, in: root) { map, fields in
            let section = fields.integer(.damageSection, in: map, as: UInt16.self)
                .map { DumpKey(rawValue: $0) }
            let subject = fields.integer(.damageSubject, in: map, as: UInt64.self) ?? 0
            let why = fields.integer(.damageWhy, in: map, as: UInt32.self)
            let leftOut = fields.integer(.damageBytes, in: map, as: UInt64.self)
            let errorNumber = fields.integer(.damageErrno, in: map, as: Int32.self)
            return Damage(
                stage: .capture, subject: section?.damagedPart(subject, why) ?? "dump",
                reason: fields.reason(why, leftOut: leftOut ?? 0),
                errorNumber: errorNumber == 0 ? nil : errorNumber)
        }
    }

    private func reason(_ why: UInt32?, leftOut: UInt64) -> String {
        let words = why.map { whyWords($0) } ?? "the reason is not recorded"
        return leftOut == 0 ? words : "\(words), \(leftOut) bytes were left out"
    }
}

package enum ScopeLoss: Sendable {
    /// The number that did not fit.
    case attributes(UInt64)
    /// The number being written.
    case breadcrumbs(UInt64)
    /// The whole scope, or one around it, did not fit.
    case scope
}

extension Damage {
    /// The same in the codes of a dump.
    package init(_ loss: ScopeLoss) {
        let (section, subject, why) =
            switch loss {
            case .attributes(let count): (DumpKey.scopeAttributes, count, EPITAPH_WHY_TOO_MANY)
            case .breadcrumbs(let count): (DumpKey.breadcrumbs, count, EPITAPH_WHY_HALF_WRITTEN)
            case .scope: (DumpKey.taskScope, 0, EPITAPH_WHY_TOO_MANY)
            }
        self.init(
            stage: .capture, subject: section.damagedPart(subject, why.rawValue),
            reason: whyWords(why.rawValue))
    }
}

extension DumpKey {
    fileprivate func damagedPart(_ subject: UInt64, _ why: UInt32?) -> String {
        let words = partWords
        guard subject != 0 else { return words.whole }
        let counting = [EPITAPH_WHY_HALF_WRITTEN.rawValue, EPITAPH_WHY_TOO_MANY.rawValue]
        if self == .breadcrumbs || self == .scopeAttributes, let why, counting.contains(why) {
            return "\(subject) \(subject == 1 ? words.one : words.whole)"
        }
        if self == .systemFiles, why == EPITAPH_WHY_TOO_MANY.rawValue, subject > 1000 {
            // /proc/self/maps is complete; this is the handler's table for looking up addresses.
            return "memory in mappings beyond the first \(subject)"
        }
        if isPartOfThread { return "\(words.one) thread \(subject)" }
        if self == .threads { return "thread \(subject)" }
        if self == .systemFiles { return SystemFiles.path(at: subject) ?? "file \(subject)" }
        return "\(words.one) at \(subject.hex)"
    }

    /// Keys in a map of THREADS.
    private var isPartOfThread: Bool {
        switch self {
        case .floatState, .threadState, .threadPriority, .stackRegionAddress, .stackRegionData,
            .stackUpperAddress, .stackUpperData, .asyncChainCuts,
            .threadID, .threadDataAddress, .threadContextMemoryRegions, .threadName,
            .threadCompleteness, .threadWhy, .threadSchedulingPolicy, .threadNice,
            .threadRunState, .threadSystemCall, .threadInstructionPointer, .threadStackPointer:
            true
        default: false
        }
    }

    /// Words before a subject, and words without one.
    private var partWords: (one: String, whole: String) {
        switch self {
        case .threadState: ("registers of", "registers")
        case .floatState: ("floating-point registers of", "floating-point registers")
        case .threadName: ("name of", "thread names")
        case .stackRegionAddress, .stackRegionData, .stackUpperAddress, .stackUpperData:
            ("stack of", "stacks")
        case .threadContextMemoryRegions:
            ("memory around the registers of", "memory around registers")
        case .memoryRegions, .memoryRegionData: ("memory", "memory")
        case .modules: ("module", "modules")
        case .moduleFiles: ("file of the module", "files of modules")
        case .unwindTables: ("unwind tables of the module", "unwind tables of modules")
        case .moduleBuildID: ("build id of the module", "build ids")
        case .moduleName: ("name of the module", "module names")
        case .moduleImage: ("image of the module", "module images")
        case .annotationsSimpleMap: ("annotations", "annotations")
        case .attachments: ("attachments", "attachments")
        case .breadcrumbs: ("breadcrumb", "breadcrumbs")
        case .taskScope: (Damage.scopeSubject, Damage.scopeSubject)
        case .scopeAttributes: ("attribute of the task", "attributes of the task")
        case .environment:
            ("environment variable", "environment, whose copies in memory may not all be blanked")
        case .signalException: ("exception", "exception")
        case .heapSampling, .heapBlocks, .heapAllocated, .heapFreed:
            ("sampled allocations", "sampled allocations")
        default: (isPartOfThread ? "\(plainName) of" : plainName, plainName)
        }
    }

    private var plainName: String {
        guard let name else { return label }
        return name.lowercased().split(separator: "_").joined(separator: " ")
    }
}

extension SystemFiles {
    /// The path at DAMAGE_SUBJECT's position, from 1.
    fileprivate static func path(at place: UInt64) -> String? {
        let paths = [
            "/proc/self/maps", "/proc/self/status", "/proc/self/auxv", "/proc/self/limits",
            "/proc/cpuinfo", "/etc/os-release",
        ]
        guard place >= 1, place <= UInt64(paths.count) else { return nil }
        return paths[Int(place) - 1]
    }
}
