// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

/// The modules of a snapshot by address, with their ELF files.
struct LoadedModules {
    final class Module {
        let index: Int
        let addressRange: Range<UInt64>
        private let module: ModuleSnapshot
        private let source: EvidencedImages
        private let machine: UInt16
        /// Most modules are on no stack, so files are opened only when their contents are needed.
        private lazy var images = source.images(for: module)
        private(set) lazy var image = images.code.flatMap {
            $0.image.machine == machine ? $0.image : nil
        }
        /// For a module without a file.
        private lazy var captured =
            image == nil ? CapturedImage(of: module, in: snapshot) : nil
        private(set) lazy var loadBias =
            module.loadBias ?? image?.loadBias(in: module) ?? captured?.loadBias
            ?? module.keptCallFrames?.loadBias ?? module.assumedLoadBias
        /// That of the image and its debug file; or what the dump has; or what the report kept.
        private(set) lazy var callFrames =
            image.map { CallFrameTable($0, debug: images.debug?.image) } ?? captured?.callFrames
            ?? module.keptCallFrames.map { CallFrameTable(extract: $0.entries) }
        /// Where libunwind may search. Not in bytes that came with a report or from a server: call frame information
        /// is a small program, and libunwind's reader of it has no limits as ours has.
        private(set) lazy var searchTable =
            images.code?.isForLibunwind == true ? image?.unwindTable : nil
        /// Of the Breakpad symbol file, where `callFrames` has nothing.
        private lazy var symbolFile = images.symbolFile.flatMap {
            $0.file.machine == machine ? $0.file : nil
        }
        private(set) lazy var symbols = image.map(ELFSymbolTable.init)
        /// Those of the debug file if there is one: a stripped file lacks most of them.
        private(set) lazy var completeSymbols =
            images.debug.map { ELFSymbolTable($0.image) } ?? symbols
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

        /// True if the module's code is known only from captured memory.
        var isWithoutFile: Bool { image == nil }

        /// Whether `callFrames` are those that the report kept.
        var hasKeptCallFrames: Bool {
            image == nil && captured == nil && module.keptCallFrames != nil
        }

        /// The rules at an address of the ELF file.
        func rules(at fileAddress: UInt64) -> CallFrameRules? {
            if let rules = callFrames?.rules(at: fileAddress) { return rules }
            // Its addresses are counted from where the module is loaded.
            let shift = addressRange.lowerBound &- loadBias
            return symbolFile?.callFrameRules(at: fileAddress &- shift, shift: shift)
        }

        /// The address as written in the ELF file.
        func fileAddress(_ address: UInt64) -> UInt64 { address &- loadBias }
    }

    /// By first address.
    private let modules: [Module]
    /// Sorted and not overlapping.
    private let executableRanges: [Range<UInt64>]
    private let mappings: [MemoryMapping]

    init(_ snapshot: ProcessSnapshot, images: any ELFImageSource) {
        let images = EvidencedImages(images, for: snapshot)
        modules = snapshot.modules.enumerated().map { index, module in
            Module(index: index, module, images, snapshot)
        }.sorted { $0.addressRange.lowerBound < $1.addressRange.lowerBound }
        mappings = snapshot.mappings
        executableRanges = Self.executableRanges(snapshot, mappings)
    }

    /// The mapping that contains `address`; nil if the dump does not say.
    func mapping(at address: UInt64) -> Range<UInt64>? {
        mappings.first { $0.addressRange.contains(address) }?.addressRange
    }

    func module(at address: UInt64) -> Module? {
        let low = modules.prefixCount { $0.addressRange.lowerBound <= address }
        // Modules of a damaged snapshot may overlap, so a few that begin earlier are checked too.
        return modules[max(0, low - 8)..<low].last { $0.addressRange.contains(address) }
    }

    /// Whether stacks are followed through a module with the tables that the report kept.
    func hasKeptCallFrames(_ index: Int) -> Bool {
        modules.contains { $0.index == index && $0.hasKeptCallFrames }
    }

    /// Where the function that contains `address` begins, by its image's symbols.
    func functionStart(of address: UInt64) -> UInt64? {
        guard let module = module(at: address),
            let symbol = module.symbols?.symbol(containing: module.fileAddress(address))
        else { return nil }
        return symbol.address &+ module.loadBias
    }

    /// Whether a function begins at `address`, by the unwind tables.
    func isFunctionStart(_ address: UInt64) -> Bool {
        guard let module = module(at: address) else { return false }
        let fileAddress = module.fileAddress(address)
        return module.rules(at: fileAddress)?.addressRange.lowerBound == fileAddress
    }

    func isExecutable(_ address: UInt64) -> Bool {
        let low = executableRanges.prefixCount { $0.upperBound <= address }
        return low < executableRanges.count && executableRanges[low].contains(address)
    }

    /// The executable mappings of the maps file, and modules that the maps do not cover (the file
    /// may be cut).
    private static func executableRanges(
        _ snapshot: ProcessSnapshot, _ mappings: [MemoryMapping]
    ) -> [Range<UInt64>] {
        let unmapped = snapshot.modules.map(\.addressRange).filter { range in
            !mappings.contains { $0.addressRange.overlaps(range) }
        }
        return OrderedRanges.merged(
            mappings.filter(\.isExecutable).map(\.addressRange) + unmapped)
    }
}

extension ELFImage {
    /// What to add to an address of this file to get one in the process that loaded it as `module`.
    package func loadBias(in module: ModuleSnapshot) -> UInt64 {
        module.loadBias ?? module.addressRange.lowerBound &- (lowestAddress() ?? 0)
    }
}
