// SPDX-License-Identifier: Apache-2.0

extension Epitaph {
    /// What can be the value of an attribute or a property: text, numbers and Bool in all of
    /// Swift's types, so that variables need no conversion. Make your own types conform by giving
    /// their value.
    ///
    ///     Epitaph["tenant"] = request.tenant
    public protocol ValueConvertible {
        /// The value in the form that reports have.
        var epitaphValue: Value { get }
    }
}

extension Epitaph.Value: Epitaph.ValueConvertible {
    public var epitaphValue: Epitaph.Value { self }
}

extension StringProtocol {
    /// Text.
    public var epitaphValue: Epitaph.Value { .text(String(self)) }
}

extension String: Epitaph.ValueConvertible {}
extension Substring: Epitaph.ValueConvertible {}

extension Bool: Epitaph.ValueConvertible {
    public var epitaphValue: Epitaph.Value { .boolean(self) }
}

extension BinaryInteger {
    /// A whole number; one beyond 64 bits with a sign becomes the nearest that has room.
    public var epitaphValue: Epitaph.Value { .integer(Int64(clamping: self)) }
}

extension Int: Epitaph.ValueConvertible {}
extension Int8: Epitaph.ValueConvertible {}
extension Int16: Epitaph.ValueConvertible {}
extension Int32: Epitaph.ValueConvertible {}
extension Int64: Epitaph.ValueConvertible {}
extension UInt: Epitaph.ValueConvertible {}
extension UInt8: Epitaph.ValueConvertible {}
extension UInt16: Epitaph.ValueConvertible {}
extension UInt32: Epitaph.ValueConvertible {}
extension UInt64: Epitaph.ValueConvertible {}

extension BinaryFloatingPoint {
    /// A number.
    public var epitaphValue: Epitaph.Value { .number(Double(self)) }
}

extension Double: Epitaph.ValueConvertible {}
extension Float: Epitaph.ValueConvertible {}
