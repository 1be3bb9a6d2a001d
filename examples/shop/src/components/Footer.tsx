export function Footer() {
  return (
    <footer className="footer">
      <p>Lake &amp; Lantern is the sample project of Varve's demo. Nothing here is for sale.</p>
      <p>Orders over €75.00 ship free. Returns within 60 days, used or not.</p>
    </footer>
  );
}
