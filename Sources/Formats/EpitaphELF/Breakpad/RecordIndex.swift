// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct RecordIndex {
    struct Place {
        let address: UInt64
        /// 0 for a PUBLIC record.
        let size: UInt64
        let offset: Int

        func contains(_ address: UInt64) -> Bool {
            address >= self.address && address - self.address < size
        }
    }

    private(set) var functions: [Place] = []
    private(set) var publics: [Place] = []
    /// STACK CFI INIT
    private(set) var frames: [Place] = []
    /// FILE
    private(set) var files: [UInt64: Int] = [:]
    /// INLINE_ORIGIN
    private(set) var origins: [UInt64: Int] = [:]
    private(set) var isCut = false

    private var shares: [HeldShare] = []
    private var entriesLeft = 0

    private static let pieceBytes = 1 << 20
    /// Entries counted at once, with the spare room of a dictionary.
    private static let entriesPerShare = 1 << 14
    private static let bytesPerEntry = 48

    /// Reads the whole file once.
    init(_ file: ByteSlice) {
        RecordLines.each(of: file, from: 0, pieceBytes: Self.pieceBytes) { line, offset in
            add(line, offset)
            return !isCut
        }
        for path in [\RecordIndex.functions, \.publics, \.frames] {
            self[keyPath: path].sort { ($0.address, $0.offset) < ($1.address, $1.offset) }
        }
    }

    private mutating func add(_ line: LineFields, _ offset: Int) {
        var line = line
        switch line.first {
        case UInt8(ascii: "F"):
            if line.take("FUNC") {
                line.takeMark()
                addPlace(line, offset, \.functions)
            } else if line.take("FILE"), let number = line.takeDecimal(), hasRoom() {
                files[number] = offset
            }
        case UInt8(ascii: "P"):
            guard line.take("PUBLIC") else { return }
            line.takeMark()
            guard let address = line.takeHexadecimal(), hasRoom() else { return }
            publics.append(Place(address: address, size: 0, offset: offset))
        case UInt8(ascii: "S"):
            guard line.take("STACK"), line.take("CFI"), line.take("INIT") else { return }
            addPlace(line, offset, \.frames)
        case UInt8(ascii: "I"):
            guard line.take("INLINE_ORIGIN"), let number = line.takeDecimal(), hasRoom() else {
                return
            }
            origins[number] = offset
        default: break
        }
    }

    private mutating func addPlace(
        _ line: LineFields, _ offset: Int, _ list: WritableKeyPath<RecordIndex, [Place]>
    ) {
        var line = line
        guard let address = line.takeHexadecimal(), let size = line.takeHexadecimal(), size > 0,
            hasRoom()
        else { return }
        self[keyPath: list].append(Place(address: address, size: size, offset: offset))
    }

    private mutating func hasRoom() -> Bool {
        if entriesLeft == 0 {
            guard let share = HeldShare(Self.entriesPerShare * Self.bytesPerEntry) else {
                isCut = true
                return false
            }
            shares.append(share)
            entriesLeft = Self.entriesPerShare
        }
        entriesLeft -= 1
        return true
    }

    /// Records of a damaged file may overlap, so a few that begin before `address` are tried.
    static func place(containing address: UInt64, in places: [Place]) -> Place? {
        let end = places.prefixCount { $0.address <= address }
        return places[max(0, end - 8)..<end].last { $0.contains(address) }
    }

    func publicSymbol(before address: UInt64) -> Place? {
        let end = publics.prefixCount { $0.address <= address }
        guard end > 0 else { return nil }
        let symbol = publics[end - 1]
        let next = functions.prefixCount { $0.address <= address }
        guard next > 0 else { return symbol }
        return functions[next - 1].address > symbol.address ? nil : symbol
    }
}
