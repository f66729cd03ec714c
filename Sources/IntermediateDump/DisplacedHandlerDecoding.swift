// SPDX-License-Identifier: Apache-2.0

import Snapshot

extension FieldReader {
    /// DISPLACED_HANDLERS, in words: crashes with these signals may have gone unrecorded.
    mutating func displacedHandlers(_ root: DumpMap, _ modules: [ModuleSnapshot]) -> [Damage] {
        elements(.displacedHandlers, in: root) { map, fields in
            guard let signal = fields.integer(.displacedSignal, in: map, as: Int32.self) else {
                return nil
            }
            let handler = fields.integer(.displacingHandler, in: map, as: UInt64.self)
            return Damage(
                stage: .capture, subject: "handler of signal \(signal)",
                reason: handler.displacement(modules))
        }
    }
}

extension UInt64? {
    /// What is in the place of the handler: SIG_DFL and SIG_IGN are 0 and 1, signal(2).
    fileprivate func displacement(_ modules: [ModuleSnapshot]) -> String {
        switch self {
        case nil: return "another one has taken its place"
        case 0: return "the default action has taken its place"
        case 1: return "the signal is ignored in its place"
        case .some(let address):
            let module = modules.first { $0.addressRange.contains(address) }
            let place = module.map { "\(address.hex) in \($0.path)" } ?? address.hex
            return "another one has taken its place, at \(place)"
        }
    }
}
