// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphValues

/// A `.dwp` file: a program's `.dwo` files, section behind section, and an index. DWARF 5, 7.3.5;
/// index version 2 is GCC's, for DWARF 4.
final class PackageFile {
    let path: String
    private let image: ELFImage
    private let index: PackageIndex
    private var opened: [UInt64: LibdwFile?] = [:]

    init?(path: String) {
        guard let bytes = try? ForeignFile.contents(of: path),
            let image = try? ELFImage(bytes),
            // Compressed sections cannot be cut.
            !image.sections.contains(where: \.isCompressed),
            let section = image.section(named: ".debug_cu_index"),
            let index = PackageIndex(image.contents(of: section))
        else { return nil }
        self.path = path
        self.image = image
        self.index = index
    }

    func file(ofUnit id: UInt64) -> LibdwFile? {
        if let known = opened[id] { return known }
        let file = index.parts(ofUnit: id).flatMap(open)
        opened[id] = .some(file)
        return file
    }

    private func open(_ parts: [String: Range<UInt64>]) -> LibdwFile? {
        var sections = image.sections.filter { parts[$0.name] != nil }.map { section in
            let part = parts[section.name] ?? 0..<0
            let bytes = image.contents(of: section).slice(
                from: Int(clamping: part.lowerBound),
                length: Int(clamping: part.upperBound - part.lowerBound))
            return DebugSection(name: section.name, bytes: bytes)
        }
        // All units share the texts.
        if let text = image.section(named: ".debug_str.dwo") {
            sections.append(DebugSection(name: text.name, bytes: image.contents(of: text)))
        }
        return try? LibdwFile(sections, machine: image.machine)
    }
}
