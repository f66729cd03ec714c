// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

struct LoadedModules {
    final class Module {
        let index: Int
        let addressRange: Range<UInt64>
        private let module: ModuleSnapshot
        private let source: EvidencedImages
        private let machine: UInt16
        private lazy var images = source.images(for: module)
        private(set) lazy var image = images.code.flatMap {
            $0.image.machine == machine ? $0.image : nil
        }
        private lazy var captured =
            image == nil ? CapturedImage(of: module, in: snapshot) : nil
        private(set) lazy var loadBias =
            module.loadBias ?? image?.loadBias(in: module) ?? captured?.loadBias
            ?? module.keptCallFrames?.loadBias ?? module.assumedLoadBias
        /// From the image and its debug file, the dump, or the report.
        private(set) lazy var callFrames =
            image.map {
                CallFrameTable(
                    $0, debug: images.debug?.image, inflating: InflatedBytes.section)
            } ?? captured?.callFrames
            ?? module.keptCallFrames.map { CallFrameTable(extract: $0.entries) }
        private lazy var searchTable =
            images.code?.isForLibunwind == true ? image?.unwindTable : nil
        private lazy var symbolFile = images.symbolFile.flatMap {
            $0.file.machine == machine ? $0.file : nil
        }
        private(set) lazy var symbols = image?.symbols
        /// The debug file's if there is one: a stripped file lacks most symbols.
        private(set) lazy var completeSymbols = images.debug?.image.symbols ?? symbols
        /// What it calls in other modules, and what they can call in it.
        private(set) lazy var imports = image?.imports
        private(set) lazy var exports = image.map(ELFExports.init)
        private let snapshot: ProcessSnapshot

        init(
            index: Int, _ module: ModuleSnapshot, _ source: EvidencedImages,
            _ snapshot: ProcessSnapshot
        ) {
            self.index = index
            addressRange = module.addressRange
            self.module = module
            self.source = source
            self.snapshot = snapshot
            machine = snapshot.architecture.rawValue
        }

        /// True in Epitaph's own library and functions, whose calls leave words on every stack.
        func isEpitaph(_ fileAddress: UInt64) -> Bool {
            module.name.hasPrefix("libepitaph")
                || completeSymbols?.symbol(containing: fileAddress)?.name.hasPrefix("epitaph_")
                    == true
        }

        /// Go's linker gives every program its table of functions.
        private(set) lazy var isOfGo =
            image?.sections.contains { $0.name.hasSuffix(".gopclntab") } == true

        /// Only captured memory is known.
        var isWithoutFile: Bool { image == nil }

        var hasKeptCallFrames: Bool {
            image == nil && captured == nil && module.keptCallFrames != nil
        }

        func rules(at fileAddress: UInt64) -> CallFrameRules? {
            if let rules = callFrames?.rules(at: fileAddress) { return rules }
            // Symbol files count from the load address.
            let shift = addressRange.lowerBound &- loadBias
            return symbolFile?.callFrameRules(at: fileAddress &- shift, shift: shift)
        }

        /// Never from a report or server: libunwind has no limits.
        var hasSearchTable: Bool { searchTable != nil }

        /// No more of the table than the entry for the address, if there is one: libunwind asks for
        /// each word that it compares.
        func searchTable(at fileAddress: UInt64) -> UnwindTable? {
            searchTable.map { callFrames?.part(of: $0, at: fileAddress) ?? $0 }
        }

        func fileAddress(_ address: UInt64) -> UInt64 { address &- loadBias }

        func loadedRange(_ fileAddress: UInt64, size: UInt64) -> Range<UInt64>? {
            Range(at: fileAddress &+ loadBias, count: size)
        }
    }

    private let modules: [Module]
    private let executableRanges: [Range<UInt64>]
    private let mappings: [MemoryMapping]
    let architecture: Architecture

    init(_ snapshot: ProcessSnapshot, images: any ELFImageSource) {
        let images = EvidencedImages(images, for: snapshot)
        modules = snapshot.modules.enumerated().map { index, module in
            Module(index: index, module, images, snapshot)
        }.sorted { $0.addressRange.lowerBound < $1.addressRange.lowerBound }
        mappings = snapshot.mappings
        architecture = snapshot.architecture
        executableRanges = Self.executableRanges(snapshot, mappings)
    }

    func mapping(at address: UInt64) -> Range<UInt64>? {
        mappings.first { $0.addressRange.contains(address) }?.addressRange
    }

    func module(at address: UInt64) -> Module? {
        let low = modules.prefixCount { $0.addressRange.lowerBound <= address }
        // Modules of a damaged snapshot may overlap, so a few that begin earlier are checked too.
        return modules[max(0, low - 8)..<low].last { $0.addressRange.contains(address) }
    }

    func isWithoutFile(_ index: Int) -> Bool {
        modules.contains { $0.index == index && $0.isWithoutFile }
    }

    func hasKeptCallFrames(_ index: Int) -> Bool {
        modules.contains { $0.index == index && $0.hasKeptCallFrames }
    }

    func functionStart(of address: UInt64) -> UInt64? {
        guard let module = module(at: address),
            let symbol = module.symbols?.symbol(containing: module.fileAddress(address))
        else { return nil }
        return symbol.address &+ module.loadBias
    }

    /// The function around `address`, by the unwind tables or else by symbols with a size.
    func functionRange(of address: UInt64) -> Range<UInt64>? {
        guard let module = module(at: address) else { return nil }
        let fileAddress = module.fileAddress(address)
        if let range = module.rules(at: fileAddress)?.addressRange {
            return module.loadedRange(range.lowerBound, size: range.upperBound - range.lowerBound)
        }
        guard let symbol = module.completeSymbols?.symbol(containing: fileAddress), symbol.size > 0
        else { return nil }
        return module.loadedRange(symbol.address, size: symbol.size)
    }

    func isFunctionStart(_ address: UInt64) -> Bool {
        guard let module = module(at: address) else { return false }
        let fileAddress = module.fileAddress(address)
        return module.rules(at: fileAddress)?.addressRange.lowerBound == fileAddress
    }

    func isExecutable(_ address: UInt64) -> Bool {
        let low = executableRanges.prefixCount { $0.upperBound <= address }
        return low < executableRanges.count && executableRanges[low].contains(address)
    }

    private static func executableRanges(
        _ snapshot: ProcessSnapshot, _ mappings: [MemoryMapping]
    ) -> [Range<UInt64>] {
        let unmapped = snapshot.modules.map(\.addressRange).filter { range in
            !mappings.contains { $0.addressRange.overlaps(range) }
        }
        // The kernel does what is called in its page, and no code of it ever runs:
        // arch/x86/entry/vsyscall/vsyscall_64.c.
        let code = mappings.filter { $0.isExecutable && $0.path != "[vsyscall]" }
        return OrderedRanges.merged(code.map(\.addressRange) + unmapped)
    }
}

extension ELFImage {
    /// Added to this file's addresses in the process that loaded it as `module`.
    package func loadBias(in module: ModuleSnapshot) -> UInt64 {
        module.loadBias ?? module.addressRange.lowerBound &- (lowestAddress() ?? 0)
    }
}
