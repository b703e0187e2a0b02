"""Makes the odd files of `limits.py`: each with a label, a name, its content, and flags to read it."""
import gzip
import struct
import tempfile
import zipfile
import zlib
from pathlib import Path

CORPUS = Path(__file__).resolve().parent.parent / "tools/halfseen-fuzz/corpus"


def csv(header, count, line):
    return (header + "\n" + "".join(line(i) + "\n" for i in range(count))).encode()


def y(i):
    return i * 7 % 23


def column(*odd, count=40):
    """A column of numbers with some odd cells at its head."""
    return csv("a,b,y", count, lambda i: f"{odd[i] if i < len(odd) else i},{i % 7},{y(i)}")


def bomb():
    """Four gigabytes of one cell in a thousandth of it."""
    block = zlib.compressobj(9, wbits=31)
    member = block.compress(b"1" * (64 << 20)) + block.flush()
    return gzip.compress(b"a,y\n") + member * 64


def zipped(content):
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("t.csv", content)
        file.seek(0)
        return file.read()


def odd_files():
    """Pairs of a description and how to make it: (name, content or a function of a path, flags)."""
    plain = csv("a,b,y", 40, lambda i: f"{i * 3}.5,{i % 7},{y(i)}")
    text = plain.decode()
    parquet = (CORPUS / "table.parquet").read_bytes()
    svm = "".join(f"{y(i)} 1:{i} 2:{i % 7}\n" for i in range(40))
    return [
        ("plain CSV", "t.csv", plain, ""),
        ("byte order mark", "t.csv", b"\xef\xbb\xbf" + plain, ""),
        ("UTF-16", "t.csv", text.encode("utf-16"), ""),
        ("Latin-1", "t.csv", csv("a,b,y", 40, lambda i: f"caf\u00e9,{i},{y(i)}").decode().encode("latin-1"), ""),
        ("semicolons", "t.csv", text.replace(",", ";").encode(), ""),
        ("semicolons and decimal commas", "t.csv", text.replace(",", ";").replace(".", ",").encode(), ""),
        ("tabs", "t.tsv", text.replace(",", "\t").encode(), ""),
        ("spaces between fields", "t.csv", text.replace(",", " ").encode(), ""),
        ('thousands, `"1,234"`, alone', "t.csv", csv("a,y", 40, lambda i: f'"{i + 1},234",{y(i)}'), ""),
        ('thousands, `"1,234,567"`', "t.csv", csv("a,y", 40, lambda i: f'"{i + 1},234,567",{y(i)}'), ""),
        ("first column without a name that counts the rows", "t.csv",
         csv(",b,y", 40, lambda i: f"{i},{i % 7},{y(i)}"), ""),
        ("second column without a name", "t.csv", csv("a,,y", 40, lambda i: f"{i * 3},{i % 7},{y(i)}"), ""),
        ("two columns of one name", "t.csv", csv("a,a,y", 40, lambda i: f"{i * 3},{i % 7},{y(i)}"), ""),
        ("names with spaces around, ` y`", "t.csv", csv("a, b, y", 40, lambda i: f"{i * 3}, {i % 7}, {y(i)}"), ""),
        ("empty file", "t.csv", b"", ""),
        ("one newline", "t.csv", b"\n", ""),
        ("header only", "t.csv", b"a,b,y\n", ""),
        ("no header", "t.csv", csv("1,2,3", 40, lambda i: f"{i},{i % 7},{y(i)}"), ""),
        ("one row", "t.csv", b"a,b,y\n1,2,3\n", ""),
        ("two rows", "t.csv", b"a,b,y\n1,2,3\n2,5,4\n", ""),
        ("only the target", "t.csv", csv("y", 40, lambda i: str(y(i))), ""),
        ("a row of too few fields", "t.csv", plain + b"1,2\n", ""),
        ("a row of too many fields", "t.csv", plain + b"1,2,3,4\n", ""),
        ("a quote that is never closed", "t.csv", plain.replace(b"\n9.5", b'\n"9.5'), ""),
        ("text after a closing quote", "t.csv", plain.replace(b"\n9.5", b'\n"9.5"x'), ""),
        ("NUL bytes in a cell", "t.csv", plain.replace(b"\n9.5", b"\n9\0.5"), ""),
        ("NUL bytes only", "t.csv", b"\0" * 4096, ""),
        ("`NA`, `?`, empty, `NaN`", "t.csv", column("NA", "?", "", "NaN"), ""),
        ("the same", "t.csv", column("NA", "?", "", "NaN"), "--missing mean"),
        ("`null`, `None`, `-`, `#N/A`", "t.csv", column("null", "None", "-", "#N/A"), "--missing mean"),
        ("`missing` among numbers", "t.csv", column("missing"), "--missing mean"),
        ("`-999` for missing", "t.csv", column("-999", "-999"), ""),
        ("`1e308`", "t.csv", column("1e308", "-1e308"), ""),
        ("`1e400`", "t.csv", column("1e400"), ""),
        ("`1e-400`", "t.csv", column("1e-400"), ""),
        ("`inf`", "t.csv", column("inf"), ""),
        ("`nan` in the target", "t.csv", csv("a,y", 40, lambda i: f"{i},{'nan' if i == 3 else y(i)}"), ""),
        ("`inf` in the target", "t.csv", csv("a,y", 40, lambda i: f"{i},{'inf' if i == 3 else y(i)}"), ""),
        ("numbers in hexadecimal, `0x1F`", "t.csv", csv("a,b,y", 40, lambda i: f"{i:#x},{i},{y(i)}"), ""),
        ("percentages, `12%`", "t.csv", csv("a,b,y", 40, lambda i: f"{i * 37 % 101}%,{i % 7},{y(i)}"), ""),
        ("money, `$12.50`", "t.csv", csv("a,b,y", 40, lambda i: f"${i * 37 % 101}.50,{i % 7},{y(i)}"), ""),
        ("numbers in quotes", "t.csv", csv("a,b,y", 40, lambda i: f'"{i * 3}","{i % 7}","{y(i)}"'), ""),
        ("`true` and `false`", "t.csv", csv("a,b,y", 40, lambda i: f"{['true', 'false'][i % 2]},{i},{y(i)}"), ""),
        ("dates", "t.csv", csv("a,b,y", 40, lambda i: f"2024-01-{i % 28 + 1:02},{i % 7},{y(i)}"), ""),
        ("dates of two forms", "t.csv",
         csv("a,b,y", 40, lambda i: f"{['2024-01-%02d', '%02d.01.2024'][i % 2] % (i % 28 + 1)},{i % 7},{y(i)}"), ""),
        ("the same", "t.csv",
         csv("a,b,y", 40, lambda i: f"{['2024-01-%02d', '%02d.01.2024'][i % 2] % (i % 28 + 1)},{i % 7},{y(i)}"),
         "--as a=date"),
        ("identifiers", "t.csv", csv("a,b,y", 40, lambda i: f"C{i * 37 % 40:03},{i % 7},{y(i)}"), ""),
        ("one text cell among numbers", "t.csv", column("abc"), ""),
        ("numbers and texts, half each", "t.csv",
         csv("a,b,y", 40, lambda i: f"{['red', 'blue', 3, 4][i % 4]},{i % 7},{y(i)}"), ""),
        ("empty target in all rows", "t.csv", csv("a,y", 40, lambda i: f"{i},"), ""),
        ("empty target in some rows", "t.csv", csv("a,y", 40, lambda i: f"{i * 3},{y(i) if i % 4 else ''}"), ""),
        ("target of one class", "t.csv", csv("a,y", 40, lambda i: f"{i * 3},yes"), ""),
        ("target of one number", "t.csv", csv("a,y", 40, lambda i: f"{i * 3},5"), ""),
        ("target of a text per row", "t.csv", csv("a,y", 40, lambda i: f"{i * 3},text {i}"), ""),
        ("target that is not a column", "t.csv", plain.replace(b",y\n", b",price\n"), ""),
        ("target in capitals, `Y`", "t.csv", plain.replace(b",y\n", b",Y\n"), ""),
        ("column that is empty in all rows", "t.csv", csv("a,b,y", 40, lambda i: f",{i % 7},{y(i)}"), ""),
        ("the same", "t.csv", csv("a,b,y", 40, lambda i: f",{i % 7},{y(i)}"), "--missing mean"),
        ("constant column", "t.csv", csv("a,b,y", 40, lambda i: f"5,{i % 7},{y(i)}"), ""),
        ("constant columns only", "t.csv", csv("a,y", 40, lambda i: f"5,{y(i)}"), ""),
        ("column equal to the target", "t.csv", csv("a,y", 40, lambda i: f"{y(i)},{y(i)}"), ""),
        ("CR LF", "t.csv", plain.replace(b"\n", b"\r\n"), ""),
        ("CR only", "t.csv", plain.replace(b"\n", b"\r"), ""),
        ("blank lines between rows", "t.csv", plain.replace(b"\n", b"\n\n"), ""),
        ("comment lines, `# ...`", "t.csv", b"# made by hand\n" + plain, ""),
        ("gzip", "t.csv.gz", gzip.compress(plain), ""),
        ("gzip named `.csv`", "t.csv", gzip.compress(plain), ""),
        ("CSV named `.gz`", "t.csv.gz", plain, ""),
        ("gzip, cut off", "t.csv.gz", gzip.compress(plain)[:60], ""),
        ("gzip bomb, 4 GB in one cell", "t.csv.gz", bomb(), "--memory 1GB"),
        ("zip named `.csv`", "t.csv", zipped(plain), ""),
        ("Parquet", "t.parquet", parquet, "--target price --missing mean"),
        ("Parquet, cut off", "t.parquet", parquet[: len(parquet) // 2], ""),
        ("CSV named `.parquet`", "t.parquet", plain, ""),
        ("ARFF", "t.arff", b"@relation t\n@attribute a numeric\n@data\n1\n", ""),
        ("IDX", "t.idx", struct.pack(">IIII", 0x803, 10, 4, 4) + b"\1" * 160, ""),
        ("SVMlight", "t.svm", svm.encode(), "--target label"),
        ("SVMlight, index 0", "t.svm", svm.replace(" 1:", " 0:").encode(), "--target label"),
        ("SVMlight, negative index", "t.svm", svm.replace(" 1:", " -1:").encode(), "--target label"),
        ("SVMlight, indices out of order", "t.svm", b"1 3:1 2:1\n2 1:1\n", "--target label"),
        ("SVMlight, index 4000000000", "t.svm", b"1 4000000000:1\n2 1:1\n", "--target label"),
        ("a folder", "folder", lambda folder: None, ""),
        ("no such file", "t.csv", None, ""),
        ("`/dev/null`", "/dev/null", None, ""),
        ("a file without permission to read", "t.csv", plain, "(no permission)"),
        ("`-`, standard input", "-", plain, ""),
        ("`-`, nothing on it", "-", b"", ""),
        ("a header of 100,000 columns, two rows", "t.csv",
         ("".join(f"x{j}," for j in range(99_999)) + "y\n" + ("1," * 99_999 + "2\n") * 2).encode(), ""),
        ("a header of 100,000 columns, 40 rows", "t.csv",
         ("".join(f"x{j}," for j in range(99_999)) + "y\n").encode()
         + b"".join(b"%d," % (i % 5) * 99_999 + b"%d\n" % y(i) for i in range(40)), "--memory 4GB"),
        ("a cell of 20 MB", "t.csv", plain + b"1" * 20_000_000 + b",2,3\n", ""),
        ("a text cell of 20 MB", "t.csv", plain + b"x" * 20_000_000 + b",2,3\n", ""),
        ("a column name of 1 MB", "t.csv", b"x" * 1_000_000 + plain[1:].replace(b"\n9.5", b"\nabc"), ""),
        ("control characters in a cell", "t.csv", plain.replace(b"\n9.5", b"\n\x1b[31mred"), ""),
        ("a picture (PNG)", "t.csv", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8, ""),
        ("a page of HTML", "t.csv", b"<!DOCTYPE html>\n<html><body>\n<p>Not found</p>\n</body></html>\n", ""),
        ("JSON", "t.json", b'[{"a": 1, "y": 2}, {"a": 2, "y": 3}]\n', ""),
    ]
