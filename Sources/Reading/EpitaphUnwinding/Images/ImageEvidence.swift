// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphValues

/// Decides whether a file without a build id is the one that was loaded. docs/decisions/modules.md
final class ImageEvidence {
    /// About ten instructions: functions often begin alike, longer runs differ.
    private static let enoughCode = 32

    private let module: ModuleSnapshot
    private let snapshot: ProcessSnapshot

    init(_ module: ModuleSnapshot, of snapshot: ProcessSnapshot) {
        self.module = module
        self.snapshot = snapshot
    }

    func speaks(for image: ELFImage) -> Bool {
        guard image.machine == snapshot.architecture.rawValue, hasLayout(of: image),
            let matchedCode = matchedCodeBytes(of: image)
        else { return false }
        switch dynamicSectionMatches(image) {
        case .some(false): return false
        case .some(true): return true
        case nil: return matchedCode >= Self.enoughCode
        }
    }

    private func hasLayout(of image: ELFImage) -> Bool {
        let ends = image.loadableSegments.map { $0.address &+ $0.memorySize }
        guard let lowest = image.lowestAddress(), let end = ends.max(), end < .max - 4096 else {
            return false
        }
        let bias = image.loadBias(in: module)
        let roundedEnd = (end + 4095) / 4096 * 4096
        guard lowest &+ bias == module.addressRange.lowerBound,
            roundedEnd &+ bias == module.addressRange.upperBound
        else { return false }
        guard let address = module.dynamicSectionAddress else { return true }
        return image.segments.first { $0.type == 2 }.map { $0.address &+ bias == address } ?? false
    }

    private func matchedCodeBytes(of image: ELFImage) -> Int? {
        let bias = image.loadBias(in: module)
        var matched = 0
        for segment in image.loadableSegments where !segment.isWritable {
            let start = segment.address &+ bias
            guard let range = Range(at: start, count: segment.fileSize) else { continue }
            for region in snapshot.memory {
                let common = region.addressRange.clamped(to: range)
                guard !common.isEmpty else { continue }
                let captured = region.bytes.slice(
                    from: Int(clamping: common.lowerBound - region.address),
                    length: Int(clamping: common.upperBound - common.lowerBound))
                let own = image.constantBytes(
                    at: common.lowerBound &- bias, count: captured.count)
                guard agree(own, captured) else { return nil }
                if segment.isExecutable { matched += captured.count }
            }
        }
        return matched
    }

    /// Blanked bytes, as of environment variables, match anything: docs/decisions/memory.md
    private func agree(_ own: ByteSlice, _ captured: ByteSlice) -> Bool {
        own.count == captured.count
            && own.withUnsafeBytes { own in
                captured.withUnsafeBytes { captured in
                    zip(own, captured).allSatisfy { $0 == $1 || $1 == UInt8(ascii: "*") }
                }
            }
    }

    private func dynamicSectionMatches(_ image: ELFImage) -> Bool? {
        guard let linker = snapshot.dynamicLinker, !linker.dynamicSection.isEmpty,
            linker.dynamicSectionAddress == module.dynamicSectionAddress,
            let segment = image.segments.first(where: { $0.type == 2 }),
            let offset = Int(exactly: segment.fileOffset)
        else { return nil }
        let bias = image.loadBias(in: module)
        var loaded = ByteCursor(linker.dynamicSection)
        var own = ByteCursor(
            image.bytes.slice(from: offset, length: Int(clamping: segment.fileSize)))
        var count = 0
        while let tag = try? loaded.read(UInt64.self), let value = try? loaded.read(UInt64.self) {
            guard let ownTag = try? own.read(UInt64.self), tag == ownTag,
                let ownValue = try? own.read(UInt64.self)
            else { return false }
            // The dynamic linker fills in DT_DEBUG and relocates addresses in place.
            guard tag == 21 || value == ownValue || value == ownValue &+ bias else { return false }
            if tag == 0 { break }
            count += 1
        }
        return count > 8 ? true : nil
    }
}

/// Adds images that the snapshot confirms, for modules without a build id.
package final class EvidencedImages: ELFImageSource {
    private let source: any ELFImageSource
    private let snapshot: ProcessSnapshot

    package init(_ source: any ELFImageSource, for snapshot: ProcessSnapshot) {
        self.source = source
        self.snapshot = snapshot
    }

    package func images(for module: ModuleSnapshot) -> ModuleImages {
        let images = certainImages(for: module)
        guard images.code == nil, module.fileState == .same, let mapping = mapping(of: module)
        else { return images }
        // The kernel's name. The loader's may be a changed symbolic link, or predate a rename.
        if mapping.path != module.path {
            var renamed = module
            renamed.path = mapping.path
            let others = certainImages(for: renamed)
            guard others.code == nil else { return others }
        }
        guard isWrittenOver(mapping) else { return images }
        // It is unknown when: the dump says whether names were still there, not contents.
        var unknown = module
        unknown.fileState = nil
        return certainImages(for: unknown)
    }

    private func mapping(of module: ModuleSnapshot) -> MemoryMapping? {
        let start = module.addressRange.lowerBound
        return snapshot.mappings.first {
            $0.addressRange.contains(start) && $0.path.hasPrefix("/")
        }
    }

    private func isWrittenOver(_ mapping: MemoryMapping) -> Bool {
        let status = try? ForeignFile.open(mapping.path).fileStatus()
        return status?.identity.inode == mapping.inode
    }

    private func certainImages(for module: ModuleSnapshot) -> ModuleImages {
        var images = source.images(for: module)
        images.problem = images.problem?.known(module.fileState)
        guard images.code == nil, let candidate = images.candidate else { return images }
        guard ImageEvidence(module, of: snapshot).speaks(for: candidate.image) else {
            images.candidate = nil
            images.debug = nil
            return images
        }
        images.code = candidate
        images.problem = .matchedByContents(path: candidate.path)
        return images
    }
}
