// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension FieldReader {
    mutating func displacedHandlers(_ root: DumpMap) -> [DisplacedHandler] {
        elements(.displacedHandlers, in: root) { map, fields in
            guard let signal = fields.integer(.displacedSignal, in: map, as: Int32.self) else {
                return nil
            }
            return DisplacedHandler(
                signal: signal,
                address: fields.integer(.displacingHandler, in: map, as: UInt64.self))
        }
    }

    mutating func displacedHandlerDamage(
        _ root: DumpMap, _ modules: [ModuleSnapshot]
    ) -> [Damage] {
        displacedHandlers(root).map { handler in
            Damage(
                stage: .capture, subject: "handler of signal \(handler.signal)",
                reason: handler.address.displacement(modules))
        }
    }
}

extension UInt64? {
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
